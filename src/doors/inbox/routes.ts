/** Every route of the inbox, with who may use it. A test asks each of them as each kind of visitor. */
import type { Assets } from './assets.ts'
import { bulkMovesRoutes } from './bulk-moves.ts'
import { devicesRoutes } from './devices.ts'
import { eraseRoutes } from './erase.ts'
import { exportRoutes } from './export.ts'
import type { InboxRoute } from './guard.ts'
import { leadActRoutes } from './lead-acts.ts'
import { leadRoutes } from './lead.ts'
import { linkRoutes } from './link.ts'
import { listRoutes } from './list.ts'
import { membersRoutes } from './members.ts'
import { passkeysRoutes } from './passkeys.ts'
import type { InboxParts } from './parts.ts'
import { searchRoutes } from './search.ts'
import { settingsRoutes } from './settings.ts'
import { signInCodeRoutes } from './sign-in-code.ts'
import { signInPasskeyRoutes } from './sign-in-passkey.ts'
import { signInRoutes } from './sign-in.ts'
import { signOutRoutes } from './sign-out.ts'
import { stepUpRoutes } from './step-up.ts'

export function inboxRoutes(parts: InboxParts, { style, script }: Assets): InboxRoute[] {
  return [
    { path: style.path, method: 'GET', who: 'nobody', door: style.answer },
    { path: script.path, method: 'GET', who: 'nobody', door: script.answer },
    ...signInRoutes(parts),
    ...signInCodeRoutes(parts),
    ...signInPasskeyRoutes(parts),
    ...linkRoutes(parts),
    ...signOutRoutes(parts),
    ...stepUpRoutes(parts),
    ...listRoutes(parts),
    ...searchRoutes(parts),
    ...exportRoutes(parts),
    ...bulkMovesRoutes(parts),
    ...leadRoutes(parts),
    ...leadActRoutes(parts),
    ...eraseRoutes(parts),
    ...settingsRoutes(parts),
    ...passkeysRoutes(parts),
    ...devicesRoutes(parts),
    ...membersRoutes(parts),
  ]
}

/**
 * All ways to sign in share the limit of requests. Only codes have further limits, because only
 * codes can be guessed. With such limits on links or passkeys, a stranger on the same network could
 * lock the owner out.
 */
import { type AccessStore } from '../store/access/store.ts'
import { Codes, type CodesParts } from './codes.ts'
import { Links } from './links.ts'
import { Passkeys, type PasskeysParts } from './passkeys.ts'
import { Sessions } from './sessions.ts'

export type AccessParts = CodesParts & PasskeysParts

export class Access {
  readonly store: AccessStore
  readonly sessions: Sessions
  readonly codes: Codes
  readonly links: Links
  readonly passkeys: Passkeys

  constructor(parts: AccessParts) {
    this.store = parts.store
    this.sessions = new Sessions(parts.store, parts.now)
    this.codes = new Codes(parts)
    this.links = new Links(parts.store, parts.now)
    this.passkeys = new Passkeys(parts)
  }
}

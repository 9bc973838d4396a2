/**
 * The ways into the inbox: codes, links and passkeys, and the sessions that follow. Only codes have
 * limits: links and passkeys cannot be guessed, and a limit could lock the owner out.
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

/** Why a passkey was refused, in words for the member and for the log. */
import type { PasskeyRefusal } from '../../access/passkeys.ts'
import type { Answer } from '../../http/message.ts'
import { logged, scriptAnswer } from './answers.ts'

const words: Record<PasskeyRefusal, string> = {
  challenge: 'That took too long. Try again.',
  unknown: 'This passkey is not known here. It may have been removed, or belong to another site.',
  'not-verified': 'This passkey could not be verified. Try again.',
  counter: 'This passkey may have been copied, so it was refused. Remove it, and add a new one.',
}

export function sayRefused(why: PasskeyRefusal): Answer {
  return logged(scriptAnswer(403, { say: words[why] }), `passkey refused: ${why}`)
}

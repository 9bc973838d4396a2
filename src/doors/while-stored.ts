/** A door that needs the database says so while there is none. */
import { withHeaders } from '../http/answer.ts'
import type { Answer, App, Ask } from '../http/message.ts'
import { StorageUnavailable } from '../store/engine.ts'
import { corsHeaders } from './cors.ts'
import { unavailable } from './errors.ts'

export function whileStored(door: (ask: Ask) => Promise<Answer>): App {
  return async (ask) => {
    try {
      return await door(ask)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      return withHeaders(unavailable(), ...corsHeaders(ask))
    }
  }
}

/** Doors of the inbox's forms: a page with fields, or a button that does one thing. */
import { isAnswer, type Answer } from '../../../http/message.ts'
import { goOn, goTo, showPage, type InboxPage } from './answers.ts'
import { sentFields, type Caller, type SentFields, type SignedInCaller } from './inbox.ts'

/** Why nothing was done. The form is shown again with it, and with what was typed. */
export type Wrong = { status: number; problem?: string }

type FormPage = Pick<InboxPage, 'title' | 'back' | 'main'>

type Form<Asker extends Caller, Typed, Refusal extends Wrong> = {
  /** Gets what was sent, or what the member had typed before having to sign in again. */
  read: (field: SentFields, caller: Asker) => Typed
  /** What stands in the fields at first; if left out, nothing. */
  begin?: (caller: Asker) => Typed
  /** Checks and does it. What was done leads on to another page. */
  act: (caller: Asker, typed: Typed) => Answer | Refusal | Promise<Answer | Refusal>
  page: (caller: Asker, typed: Typed, wrong?: Refusal) => FormPage | Promise<FormPage>
}

type DoorFor<Asker> = (caller: Asker) => Promise<Answer>

export type FormDoors<Asker> = { show: DoorFor<Asker>; send: DoorFor<Asker> }

const nothingTyped = () => ''

export function formDoors<Asker extends Caller, Typed, Refusal extends Wrong = Wrong>({
  read,
  begin = (caller) => read(nothingTyped, caller),
  act,
  page,
}: Form<Asker, Typed, Refusal>): FormDoors<Asker> {
  return {
    async show(caller) {
      const before = typedBefore(caller)
      const typed = before === undefined ? begin(caller) : read(before, caller)
      return showPage(caller, await page(caller, typed))
    },
    async send(caller) {
      const typed = read(sentFields(caller), caller)
      const outcome = await act(caller, typed)
      if (isAnswer(outcome)) return outcome
      const { status, problem = '' } = outcome
      return showPage(caller, { ...(await page(caller, typed, outcome)), status, problem })
    },
  }
}

function typedBefore(caller: Caller | SignedInCaller): SentFields | undefined {
  return 'typed' in caller ? caller.typed : undefined
}

type Button = {
  /** The event in the log. */
  did: string
  path: string
  /** Returns `false` if there was nothing to do. */
  act: (caller: SignedInCaller, field: SentFields) => Promise<boolean | void>
}

/** Leads back to the page of the button. */
export function buttonDoor({ did, path, act }: Button): DoorFor<SignedInCaller> {
  return async (caller) => {
    const isDone = await act(caller, sentFields(caller))
    return isDone === false ? goTo(path) : goOn(caller, did, path)
  }
}

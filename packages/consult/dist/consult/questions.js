/** Questions to a person at a terminal. They go to standard error: standard output is for results. */
import { createInterface } from 'node:readline/promises'
import { checkFields } from '../contract/check-fields.js'
import { fields } from '../contract/fields.js'
import { Failed } from './failed.js'
import { say } from './output.js'
/** `undefined`: input or output is not a terminal. */
export function findTerminal() {
  const { stdin: input, stderr: output } = process
  return input.isTTY && output.isTTY ? { input, output } : undefined
}
/** Nothing changes at the site without consent: an answer at the terminal, or `--yes`. */
export async function askForConsent({ switches }, { shown, question }) {
  if (switches.has('yes')) return
  const terminal = findTerminal()
  if (terminal === undefined) {
    throw new Failed('refused', {
      message: 'Nothing was sent: there is no terminal here to ask for a yes.',
      resolution: 'Add --yes if it is to be done without asking.',
    })
  }
  say(shown)
  if (await confirm(terminal, question)) return
  throw new Failed('refused', {
    message: 'Nothing was sent.',
    resolution: 'Run it again when you are ready.',
  })
}
/** Anything but y or yes is a no. */
export async function confirm(terminal, question) {
  const conversation = openConversation(terminal)
  try {
    const line = await conversation.ask(`${question} [y/N] `)
    return /^\s*y(?:es)?\s*$/i.test(line ?? '')
  } finally {
    conversation.close()
  }
}
/** Asks for every field that is not known yet, again until it is valid. By their names in a request. */
export async function askFields(terminal, known) {
  const conversation = openConversation(terminal)
  try {
    const answers = { ...known }
    for (const field of fields) {
      if (!(field.name in known)) answers[field.name] = await askField(conversation, field)
    }
    return answers
  } finally {
    conversation.close()
  }
}
async function askField(conversation, field) {
  for (;;) {
    const text = await (field.input === 'textarea' ? askText : askLine)(conversation, field)
    const problem = checkFields({ [field.name]: text }).problems.find(
      (found) => found.field === field.name,
    )
    if (problem === undefined) return text
    // At the end of the input an invalid text must not become an empty one.
    if (conversation.isOver()) stop()
    conversation.say(`  ${field.label} ${problem.problem}; for example: ${problem.example}\n`)
  }
}
async function askLine(conversation, field) {
  return (await conversation.ask(`${labelOf(field)}: `)) ?? stop()
}
/** Many lines may be pasted, empty ones among them. */
async function askText(conversation, field) {
  const lines = []
  conversation.say(
    `${labelOf(field)}, in as many lines as you like; a line with only a dot ends it.\n`,
  )
  for (;;) {
    const line = await conversation.ask('> ')
    if (line === undefined || line.trim() === '.') return lines.join('\n')
    lines.push(line)
  }
}
function labelOf({ label, required }) {
  return required ? label : `${label} (may be left empty)`
}
function openConversation({ input, output }) {
  const lines = createInterface({ input, output })
  const next = lines[Symbol.asyncIterator]()
  let stopped = false
  let closed = false
  let over = false
  lines.on('close', () => (closed = true))
  lines.on('SIGINT', () => {
    stopped = true
    lines.close()
  })
  const show = (prompt) => {
    lines.setPrompt(prompt)
    lines.prompt()
  }
  return {
    async ask(prompt) {
      // After the end of the input, pasted lines may still be waiting.
      if (closed) output.write(prompt)
      else show(prompt)
      const { value, done } = await next.next()
      if (!done) return value
      over = true
      output.write('\n')
      return stopped ? stop() : undefined
    },
    say: (text) => output.write(text),
    isOver: () => over,
    close: () => lines.close(),
  }
}
function stop() {
  throw new Failed('refused', {
    message: 'Stopped. Nothing was written or sent.',
    resolution: 'Run it again when you are ready.',
  })
}

/** What a form does a little better with a script. Everything works without it. */

for (const form of document.forms) {
  // When the values are gathered, the pressed button's own among them: one press is one send.
  form.addEventListener('formdata', () => {
    setDisabled(form, true)
    // What hangs or was stopped may be sent again: the nonce in the form keeps it one lead.
    setTimeout(setDisabled, 10_000, form, false)
  })
  // The browser may bring the page back as it was left.
  addEventListener('pageshow', () => setDisabled(form, false))
  form.addEventListener('submit', (event) => event.agentInvoked && answerAgent(event))
  if (form.hasAttribute('toolname')) fillIn(form)
}
// A frame later the browser has seen to autofocus by itself, where it can.
requestAnimationFrame(() => document.querySelector('[role=alert]')?.focus())

function setDisabled(form, disabled) {
  for (const button of form.querySelectorAll('button')) button.disabled = disabled
}

/** What an agent gave to the tool of another page (form-tool.js). */
function fillIn(form) {
  const details = sessionStorage.getItem('details')
  if (details === null) return
  sessionStorage.removeItem('details')
  for (const [name, text] of Object.entries(JSON.parse(details))) {
    const input = form.elements.namedItem(name)
    if (input?.hasAttribute('toolparamdescription')) input.value = text
  }
}

/** An agent in the browser (WebMCP) filled in the form and the person pressed the button: both are answered. */
async function answerAgent(event) {
  const form = event.target
  event.preventDefault()
  const sending = send(form).finally(() => setDisabled(form, false))
  event.respondWith(sending)
  const { status_url: receipt } = JSON.parse(await sending)
  // The agent's answer goes out first: it is lost with the page. Then what anybody else would see.
  setTimeout(() => (receipt ? location.assign(new URL(receipt).pathname) : form.submit()))
}

async function send(form) {
  const fields = Object.fromEntries(new FormData(form))
  // What cannot be typed into is the trap, which only a bot fills in.
  for (const { name, readOnly } of form.elements) if (readOnly) delete fields[name]
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const answer = await fetch(form.action, { method: 'POST', headers, body: JSON.stringify(fields) })
  return answer.text()
}

/** What a form does a little better with a script. Everything works without it. */

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (event.agentInvoked) void answerAgent(event)
    // After the browser has gathered the values, the pressed button's own among them: one press is one send.
    setTimeout(setSending, 0, form, event.submitter)
    // What hangs or was stopped may be sent again: the nonce in the form keeps it one lead.
    setTimeout(setReady, 10_000, form)
  })
  // The browser may bring the page back as it was left.
  addEventListener('pageshow', () => setReady(form))
  if (form.hasAttribute('toolname')) fillIn(form)
}
// A frame later the browser has seen to autofocus by itself, where it can.
requestAnimationFrame(() => document.querySelector('[role=alert]')?.focus())

/** Disables the buttons; the pressed one says so. */
function setSending(form, pressed) {
  for (const button of form.querySelectorAll('button')) button.disabled = true
  if (pressed === null || pressed.dataset.words !== undefined) return
  pressed.dataset.words = pressed.textContent
  pressed.textContent = 'Sending…'
}

function setReady(form) {
  for (const button of form.querySelectorAll('button')) {
    button.disabled = false
    if (button.dataset.words === undefined) continue
    button.textContent = button.dataset.words
    delete button.dataset.words
  }
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
  const sending = send(form).finally(() => setReady(form))
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

/** Improves every form of the site. The forms also work without this script. */

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    document.querySelector('.unsent')?.remove()
    if (event.agentInvoked) void answerAgent(form, event)
    else if (!navigator.onLine) void sendIfReached(form, event)
    // The browser gathers the values first: it would leave out the value of a disabled button.
    setTimeout(setSending, 0, form, event.submitter)
    // A request that hangs or was stopped may be sent again. The nonce in the form keeps both one lead.
    setTimeout(setReady, 10_000, form)
  })
  // The Back button may restore the page with its buttons still disabled.
  addEventListener('pageshow', () => setReady(form))
  if (form.hasAttribute('toolname')) fillIn(form)
}
// Browsers handle `autofocus` before the next frame. The alert takes the focus after that.
requestAnimationFrame(() => document.querySelector('[role=alert]')?.focus())

/**
 * Disables the buttons. The pressed button shows "Sending…".
 * @param {HTMLFormElement} form @param {HTMLElement | null} pressed
 */
function setSending(form, pressed) {
  for (const button of form.querySelectorAll('button')) button.disabled = true
  if (pressed === null || pressed.dataset.words !== undefined) return
  pressed.dataset.words = pressed.textContent
  pressed.textContent = 'Sending…'
}

/** @param {HTMLFormElement} form */
function setReady(form) {
  for (const button of form.querySelectorAll('button')) {
    button.disabled = false
    if (button.dataset.words === undefined) continue
    button.textContent = button.dataset.words
    delete button.dataset.words
  }
}

/**
 * Without signal, sending a form would lead to the browser's error page, and lose what was typed.
 * @param {HTMLFormElement} form @param {SubmitEvent} event
 */
async function sendIfReached(form, event) {
  event.preventDefault()
  try {
    // A machine without a network still reaches a site that runs on it.
    await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
    form.submit()
  } catch {
    // After `setSending`, which waits as well.
    setTimeout(sayUnsent, 0, form)
  }
}

/** @param {HTMLFormElement} form */
function sayUnsent(form) {
  setReady(form)
  const alert = document.createElement('p')
  alert.className = 'problem unsent'
  alert.setAttribute('role', 'alert')
  alert.textContent =
    'No signal: nothing was sent. What you typed is still here. Press again when you have signal.'
  form.querySelector('button')?.before(alert)
  alert.scrollIntoView({ block: 'nearest' })
}

/**
 * Fills in the details that an agent gave to the tool of another page (form-tool.js).
 * @param {HTMLFormElement} form
 */
function fillIn(form) {
  const details = sessionStorage.getItem('details')
  if (details === null) return
  sessionStorage.removeItem('details')
  const given = JSON.parse(details)
  for (const input of form.querySelectorAll('[toolparamdescription]')) {
    if (input.name in given) input.value = given[input.name]
  }
}

/**
 * Answers an agent in the browser (WebMCP) that filled in the form, then shows the person the next page.
 * @param {HTMLFormElement} form @param {SubmitEvent} event
 */
async function answerAgent(form, event) {
  event.preventDefault()
  const sending = send(form).finally(() => setReady(form))
  event.respondWith(sending)
  const { status_url: receipt } = JSON.parse(await sending)
  // The answer to the agent goes out first: it would be lost with this page. The person then sees the next page.
  setTimeout(() => (receipt ? location.assign(new URL(receipt).pathname) : form.submit()))
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const fields = Object.fromEntries(new FormData(form))
  // The read-only field is the honeypot, which only bots fill in.
  for (const { name, readOnly } of form.querySelectorAll('input')) if (readOnly) delete fields[name]
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const answer = await fetch(form.action, { method: 'POST', headers, body: JSON.stringify(fields) })
  return answer.text()
}

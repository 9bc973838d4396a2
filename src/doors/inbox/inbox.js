/** Signs in with a passkey, or adds one; and says when a form cannot be sent. */
for (const offer of document.querySelectorAll('[data-passkey]')) offerPasskey(offer)

/** @param {HTMLElement} offer */
function offerPasskey(offer) {
  // In an old browser the button stays hidden.
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  const { passkey: kind, challenge = '', answer = '', offer: offersItself } = offer.dataset
  const button = /** @type {HTMLButtonElement} */ (offer.querySelector('button'))
  const words = offer.querySelector('.say')
  /** @type {AbortController | undefined} */
  let waiting
  offer.hidden = false
  button.addEventListener('click', () => void run())
  if (offersItself) void offerInField()

  /** Lets the email field suggest the passkeys of this device. */
  async function offerInField() {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
    void run('conditional')
    const again = () => {
      if (!document.hidden && !button.disabled) void run('conditional')
    }
    // A challenge expires after five minutes, and another tab may replace its cookie.
    setInterval(again, 240_000)
    document.addEventListener('visibilitychange', again)
  }

  /** @param {'conditional'} [mediation] */
  async function run(mediation) {
    waiting?.abort()
    const own = (waiting = new AbortController())
    const isPressed = mediation === undefined
    button.disabled = isPressed
    if (isPressed) say('')
    try {
      const options = await post(challenge, {})
      if (options.to) return location.assign(options.to)
      if (options.say) return say(options.say)
      const credential = /** @type {PublicKeyCredential} */ (
        await askDevice(options, mediation, own.signal)
      )
      const { to, say: said } = await post(answer, credential.toJSON())
      if (to) return location.assign(to)
      say(said)
    } catch (error) {
      // Says nothing if a newer run aborted this one, or if nobody pressed the button.
      const { name } = /** @type {Error} */ (error)
      if (isPressed && name !== 'AbortError') say(wordsFor(name))
    } finally {
      if (own === waiting) button.disabled = false
    }
  }

  /** @param {any} options @param {'conditional' | undefined} mediation @param {AbortSignal} signal */
  function askDevice(options, mediation, signal) {
    if (kind === 'create') {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      return navigator.credentials.create({ publicKey, signal })
    }
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    return navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) })
  }

  /** @param {string} text */
  function say(text) {
    if (words) words.textContent = text
  }
}

/** @param {string} path @param {object} value */
async function post(path, value) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(value) })
  return answer.json()
}

/** @param {string} name */
function wordsFor(name) {
  if (name === 'InvalidStateError') return 'This device already has a passkey.'
  if (name === 'SecurityError') return 'Passkeys do not work at this address.'
  if (name === 'TypeError') return 'There is no connection right now. Try again.'
  return 'No passkey was used. Try again, or sign in another way.'
}

let isReached = false

/** Without signal, sending a form would lead to the browser's error page, and lose what was typed. */
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (navigator.onLine || isReached || !(form instanceof HTMLFormElement)) return
  event.preventDefault()
  void sendIfReached(form, submitter)
})

/** @param {HTMLFormElement} form @param {HTMLElement | null} pressed */
async function sendIfReached(form, pressed) {
  try {
    // A machine without a network still reaches a service that runs on it.
    await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
  } catch {
    return sayUnsent(form)
  }
  isReached = true
  form.requestSubmit(pressed)
  isReached = false
}

/** @param {HTMLFormElement} form */
function sayUnsent(form) {
  document.querySelector('.unsent')?.remove()
  const alert = document.createElement('p')
  alert.className = 'alert unsent'
  alert.setAttribute('role', 'alert')
  alert.textContent =
    'No signal: nothing was saved. What you typed is still here. Press again when you have signal.'
  // The bars at the top and at the bottom have no room for it.
  const place = form.closest('.bar, .done') ? document.querySelector('main') : form
  place?.prepend(alert)
  alert.scrollIntoView({ block: 'center' })
}

/** Signs in with a passkey, or adds one; and says when a form cannot be sent. */
for (const offer of document.querySelectorAll('[data-passkey]')) offerPasskey(offer)

function offerPasskey(offer) {
  // In an old browser the button stays hidden.
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  const { passkey: kind, challenge, answer, offer: offersItself } = offer.dataset
  const button = offer.querySelector('button')
  const words = offer.querySelector('.say')
  let waiting
  offer.hidden = false
  button.addEventListener('click', () => run())
  if (offersItself) void offerInField()

  /** Lets the email field suggest the passkeys of this device. */
  async function offerInField() {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
    void run('conditional')
    const again = () => document.hidden || button.disabled || run('conditional')
    // A challenge expires after five minutes, and another tab may replace its cookie.
    setInterval(again, 240_000)
    document.addEventListener('visibilitychange', again)
  }

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
      const credential = await askDevice(options, mediation, own.signal)
      const { to, say: said } = await post(answer, credential.toJSON())
      if (to) return location.assign(to)
      say(said)
    } catch (error) {
      // Says nothing if a newer run aborted this one, or if nobody pressed the button.
      if (isPressed && error.name !== 'AbortError') say(wordsFor(error))
    } finally {
      if (own === waiting) button.disabled = false
    }
  }

  function askDevice(options, mediation, signal) {
    if (kind === 'create') {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      return navigator.credentials.create({ publicKey, signal })
    }
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    return navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) })
  }

  function say(text) {
    words.textContent = text
  }
}

async function post(path, value) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(value) })
  return answer.json()
}

function wordsFor({ name }) {
  if (name === 'InvalidStateError') return 'This device already has a passkey.'
  if (name === 'SecurityError') return 'Passkeys do not work at this address.'
  if (name === 'TypeError') return 'There is no connection right now. Try again.'
  return 'No passkey was used. Try again, or sign in another way.'
}

let isReached = false

/** Without signal, sending a form would lead to the browser's error page, and lose what was typed. */
document.addEventListener('submit', (event) => {
  if (navigator.onLine || isReached) return
  event.preventDefault()
  void sendIfReached(event.target, event.submitter)
})

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

function sayUnsent(form) {
  document.querySelector('.unsent')?.remove()
  const alert = document.createElement('p')
  alert.className = 'alert unsent'
  alert.setAttribute('role', 'alert')
  alert.textContent =
    'No signal: nothing was saved. What you typed is still here. Press again when you have signal.'
  // The bars at the top and at the bottom have no room for it.
  const place = form.closest('.bar, .done') ? document.querySelector('main') : form
  place.prepend(alert)
  alert.scrollIntoView({ block: 'center' })
}

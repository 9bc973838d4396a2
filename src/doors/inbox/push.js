/** Turns on notifications on this device, and keeps the badge of the app. */

// Without this Trusted Types policy, the content security policy of the inbox blocks the worker.
const workers = window.trustedTypes?.createPolicy('inbox', {
  createScriptURL: () => workerPath,
})
const workerPath = '/inbox/sw.js'

for (const offer of document.querySelectorAll('[data-push]')) offerPush(offer)
void followSession()
clearBadge()
document.addEventListener('visibilitychange', clearBadge)

function clearBadge() {
  if (!document.hidden) navigator.clearAppBadge?.().catch(() => {})
}

/** Ties this device to the present session, so that signing out also ends its notifications. */
async function followSession() {
  if (!document.querySelector('.bar nav') || sessionStorage.getItem('push-sent')) return
  const registration = await navigator.serviceWorker?.getRegistration('/inbox/')
  const subscription = await registration?.pushManager?.getSubscription()
  if (!subscription) return
  sessionStorage.setItem('push-sent', '1')
  await post('/inbox/settings/devices', subscription.toJSON()).catch(() => {})
}

/** @param {HTMLElement} offer */
function offerPush(offer) {
  const { push: applicationServerKey = '', answer = '' } = offer.dataset
  // On an iPhone, only apps on the Home Screen have `PushManager`.
  if (!globalThis.PushManager || !navigator.serviceWorker || !applicationServerKey) return
  const button = offer.querySelector('button')
  const words = offer.querySelector('.say')
  if (!button || !words) return
  const turnOn = async () => {
    button.disabled = true
    words.textContent = await run().catch(() => 'That did not work. Try again.')
    button.disabled = false
  }
  offer.hidden = false
  button.addEventListener('click', () => void turnOn())

  async function run() {
    const permission = await Notification.requestPermission()
    if (permission !== 'granted') {
      return 'Notifications are not allowed. Allow them in the settings of this browser or phone.'
    }
    await navigator.serviceWorker.register(workers?.createScriptURL('') ?? workerPath)
    const { pushManager } = await navigator.serviceWorker.ready
    const subscription = await subscribe(pushManager)
    const { to, say } = await post(answer, subscription.toJSON())
    if (to) location.assign(to)
    return say ?? ''
  }

  /** @param {PushManager} pushManager */
  async function subscribe(pushManager) {
    const options = { userVisibleOnly: true, applicationServerKey }
    try {
      return await pushManager.subscribe(options)
    } catch {
      // `subscribe` fails if there is a subscription with another key, from an earlier secret.
      await (await pushManager.getSubscription())?.unsubscribe()
      return pushManager.subscribe(options)
    }
  }
}

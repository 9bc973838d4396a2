/** The service worker: shows notifications. It stores no pages, because pages of the inbox have personal data. */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self))

worker.addEventListener('push', (event) => {
  if (!event.data) return
  const { notification, app_badge: count } = event.data.json()
  const { title, navigate, ...options } = notification
  const shown = { ...options, icon: '/icon-192.png', data: navigate }
  event.waitUntil(
    Promise.all([
      worker.registration.showNotification(title, shown),
      // `setAppBadge` is missing in some browsers, and fails where the inbox is not installed.
      navigator.setAppBadge?.(count).catch(() => {}),
    ]),
  )
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(worker.clients.openWindow(event.notification.data))
})

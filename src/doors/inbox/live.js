/** Announces new requests and due dates while the list is open. */
const askEveryMs = 10_000
const news = document.querySelector('.news')
let asking = false

if (news) {
  const ask = () => void askForNew(news)
  setInterval(ask, askEveryMs)
  document.addEventListener('visibilitychange', ask)
}
setInterval(countOn, 30_000)
document.addEventListener('visibilitychange', countOn)

/** @param {HTMLElement} place */
async function askForNew(place) {
  if (document.hidden || asking) return
  asking = true
  try {
    const { newest: since = '', until = '', today = '' } = place.dataset
    const address = new URL('news', document.querySelector('.brand')?.href)
    address.search = new URLSearchParams({ since, until, today }).toString()
    const answer = await fetch(address)
    if (answer.status === 401) sayIn(place, signedOut, (await answer.json()).to)
    if (answer.ok) announce(place, await answer.json())
  } catch {
    // If there is no connection, the next interval asks again.
  } finally {
    asking = false
  }
}

const signedOut = 'You are signed out. Sign in again'

/** @param {HTMLElement} place @param {{ count: number, isOld: boolean, to: string }} news */
function announce(place, { count, isOld, to }) {
  if (count === 0) {
    if (isOld) sayIn(place, 'Show what has changed', to)
    return
  }
  const words = count === 1 ? '1 new request' : `${count} new requests`
  if (!sayIn(place, words, to)) return
  document.title = `(${count}) ${document.title.replace(/^\(\d+\) /, '')}`
  navigator.setAppBadge?.(Number(place.dataset.today) + count).catch(() => {})
}

/**
 * Returns false if `place` says so already: a screen reader would read it out again.
 * @param {HTMLElement} place @param {string} words @param {string} to
 */
function sayIn(place, words, to) {
  if (place.textContent === words) return false
  const link = document.createElement('a')
  link.href = to
  link.textContent = words
  place.replaceChildren(link)
  return true
}

/** If the list was opened by the link in `news`, scrolls to the first new request. */
document.querySelector('.fresh')?.scrollIntoView({ block: 'center' })

/** Writes ages as the server does: 34 min, 5 h. */
function countOn() {
  if (document.hidden) return
  for (const age of document.querySelectorAll('time[data-since]')) {
    const minutes = Math.floor((Date.now() - Number(age.dataset.since)) / 60_000)
    if (minutes < 60) age.textContent = `${Math.max(1, minutes)} min`
    else if (minutes < 1440) age.textContent = `${Math.floor(minutes / 60)} h`
  }
}

/** After 12 seconds the bar closes, unless it has the pointer or the focus. */
for (const bar of document.querySelectorAll('.done')) {
  const close = document.createElement('button')
  close.type = 'button'
  close.className = 'close'
  close.ariaLabel = 'Close'
  close.textContent = '×'
  close.addEventListener('click', () => bar.remove())
  bar.append(close)
  setTimeout(() => bar.matches(':hover, :focus-within') || bar.remove(), 12_000)
}

const side = document.querySelector('.side')
const openRow = side?.querySelector('[aria-current]')?.parentElement
if (side && openRow) side.scrollTop = openRow.offsetTop - side.clientHeight / 3

/** Keeps a typed note until the page shows it as saved, because sending it may fail. */
const note = document.querySelector('#words')
if (note) {
  const key = `note ${location.pathname}`
  const kept = sessionStorage.getItem(key) ?? ''
  const saved = [...document.querySelectorAll('.notes .said')].map((each) =>
    plain(each.textContent),
  )
  if (saved.includes(plain(kept))) sessionStorage.removeItem(key)
  else note.value ||= kept
  note.addEventListener('input', () => sessionStorage.setItem(key, note.value))
}

/** @param {string} text */
function plain(text) {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** When the member returns to the page after a call, scrolls to the buttons below "How did it go?". */
const acts = document.querySelector('.next')
if (acts) {
  let called = false
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a[href^="tel:"]')) called = true
  })
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || !called) return
    called = false
    acts.scrollIntoView({ block: 'start' })
    acts.querySelector('button')?.focus({ preventScroll: true })
  })
}

for (const copied of document.querySelectorAll('[data-copy]')) {
  const button = copied.querySelector('button')
  const code = copied.querySelector('code')
  if (!button || !code) continue
  const copy = async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
  }
  button.hidden = !navigator.clipboard
  button.addEventListener('click', () => void copy())
}

/** Single keys that press the links and buttons of the page. */
const keyGroups = {
  'Go to': [
    { key: 'j', words: 'the next request', run: () => goTo(1) },
    { key: 'k', words: 'the previous request', run: () => goTo(-1) },
    { key: 'o', words: 'this request', run: () => hereRow()?.querySelector('.open')?.click() },
    // This entry needs no function, because the browser itself opens the focused link on Enter.
    { key: 'Enter', words: 'this request' },
    { key: 'u', words: 'the list', run: () => press('.back a') },
    { key: '/', words: 'the search', run: () => openSearch() },
  ],
  Anywhere: [
    { key: '+', words: 'Add a request', run: () => press('.bar .add') },
    { key: 'z', words: 'Undo', run: () => undo() },
    { key: '?', words: 'These keys', run: () => showKeys() },
    { key: 'Esc', words: 'Leave a field' },
  ],
  'This request': [
    { key: 'c', words: 'Spoke to them', run: () => speak() },
    { key: 'a', words: 'No answer', run: () => press('.acts button[value=tried]') },
    { key: 'b', words: 'Book a visit', run: () => bookVisit() },
    { key: 'n', words: 'Write a note', run: () => find('#words')?.focus() },
    { key: 'w', words: 'Won', run: () => moveTo('won') },
    { key: 'l', words: 'Lost', run: () => moveTo('lost') },
    { key: 's', words: 'Spam', run: () => moveTo('spam') },
  ],
}
const keyTable = Object.values(keyGroups).flat()

const keysOff = 'keys-off'
// On the page of a request, `rows` are the rows of the list beside the request.
const isOpenLead = document.querySelector('.whole') !== null
const rows = [...document.querySelectorAll(isOpenLead ? '.side .lead' : '.leads > .lead')]
// If the member came back from a request, the address names the row of that request.
let lastRow = document.querySelector('.lead:target') ?? undefined

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) lastRow = target.closest('.lead') ?? lastRow
})
document.addEventListener('keydown', onKey)
find('.find')?.addEventListener('click', (event) => {
  event.preventDefault()
  openSearch()
})
for (const offer of document.querySelectorAll('[data-keys]')) offerKeys(offer)
returnToRow()
// No element may have the id `book`: the browser would go to it and take the focus from the field.
if (location.hash === '#book') bookVisit()

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { key, target, repeat } = event
  if (isForOthers(event) || localStorage.getItem(keysOff) || find('dialog[open]')) return
  const fields = 'input:not([type=checkbox], [type=radio]), textarea, select'
  if (target instanceof HTMLElement && target.closest(fields)) {
    if (key === 'Escape') target.blur()
    return
  }
  const entry = keyTable.find((each) => each.key === key)
  if (!entry?.run || (repeat && key !== 'j' && key !== 'k')) return
  event.preventDefault()
  entry.run()
}

/**
 * Whether the key belongs to the browser, to another script or to an input method.
 * @param {KeyboardEvent} event
 */
function isForOthers(event) {
  const { defaultPrevented, isComposing, ctrlKey, metaKey, altKey } = event
  return defaultPrevented || isComposing || ctrlKey || metaKey || altKey
}

/** @template {string} S @param {S} selector */
function find(selector) {
  return document.querySelector(selector)
}

/** @param {string} selector @param {ParentNode} within */
function press(selector, within = document) {
  const button = within.querySelector(selector)
  button?.click()
  return button !== null
}

function hereRow() {
  return document.activeElement?.closest('.lead') ?? lastRow
}

function hereIndex() {
  const here = hereRow()
  return here ? rows.indexOf(here) : -1
}

/**
 * On the page of a request, opens another request instead of focusing its row.
 * @param {1 | -1} step
 */
function goTo(step) {
  if (isOpenLead) {
    const open = rows.findIndex((row) => row.querySelector('[aria-current]'))
    return rows[open + step]?.querySelector('.open')?.click()
  }
  const at = hereIndex()
  const next = at === -1 ? 0 : at + step
  focusRow(Math.min(Math.max(next, 0), rows.length - 1))
}

/** @param {number} index */
function focusRow(index) {
  const row = rows[index]
  row?.querySelector('.open')?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}

/**
 * Moves the open request or, in the list, the focused row.
 * @param {string} state
 */
function moveTo(state) {
  if (press(`.acts button[name=to][value=${state}]`)) return
  rememberRow()
  const row = hereRow()
  if (row === undefined || press(`[name=only][value^="${state}."]`, row)) return
  if (row.dataset.lead) sendMove(row, state)
}

/** Spoken to again, a request stays where it is. After a visit, the same move would say that it did not happen. */
function speak() {
  return press('.acts button[value=spoke]') || (!find('.visited') && moveTo('contacted'))
}

/** In the list, opens the request's page with `#book`, where this function runs again. */
function bookVisit() {
  const day = find('#visit [name=day]')
  const link = isOpenLead ? undefined : hereRow()?.querySelector('.open')
  if (link) location.assign(`${link.href}#book`)
  if (!day) return
  for (const fold of document.querySelectorAll('details')) {
    if (fold.contains(day)) fold.open = true
  }
  const chosen = find('#visit [name=on]:checked')
  const field = day.checkVisibility() ? day : chosen
  field?.focus()
}

/** Presses what the bar has just offered. An older act is undone by the button that names it: the key shows that. */
function undo() {
  return press('.done button:not(.close)') || find('.undo')?.focus()
}

/** @param {HTMLElement} row @param {string} to */
function sendMove(row, to) {
  const place = new URLSearchParams(location.search)
  const form = document.createElement('form')
  form.method = 'post'
  form.action = new URL('moves', find('.brand')?.href).href
  const back = { view: place.get('view') ?? '', past: place.get('past') ?? '' }
  for (const [name, value] of Object.entries({ to, lead: row.dataset.lead, ...back })) {
    const input = document.createElement('input')
    Object.assign(input, { type: 'hidden', name, value })
    form.append(input)
  }
  document.body.append(form)
  form.requestSubmit()
}

/** After the move, `returnToRow` focuses the row that has taken the moved row's place. */
function rememberRow() {
  const place = { at: hereIndex(), page: location.pathname + location.search }
  sessionStorage.setItem('row', JSON.stringify(place))
}

function returnToRow() {
  const { at, page } = JSON.parse(sessionStorage.getItem('row') ?? '{}')
  if (page !== location.pathname + location.search || at === -1) return
  sessionStorage.removeItem('row')
  focusRow(Math.min(at, rows.length - 1))
}

function openSearch() {
  find('.search')?.classList.add('shown')
  find('#q')?.focus()
}

function showKeys() {
  const sheet = find('dialog.keys') ?? makeSheet()
  sheet.showModal()
}

function makeSheet() {
  const sheet = make('dialog', '', 'keys')
  const groups = make('div', '', 'groups')
  for (const [name, keys] of Object.entries(keyGroups)) {
    const group = make('section')
    const list = make('dl')
    list.append(...keys.map(keyRow))
    group.append(make('h3', name), list)
    groups.append(group)
  }
  const title = make('h2', 'Keys')
  title.id = 'keys'
  sheet.setAttribute('aria-labelledby', 'keys')
  const close = make('button', 'Close', 'wide quiet')
  close.addEventListener('click', () => sheet.close())
  sheet.append(title, groups, make('p', 'You can switch them off in the settings.', 'soft'), close)
  document.body.append(sheet)
  return sheet
}

/** @param {{ key: string, words: string }} entry */
function keyRow({ key, words }) {
  const row = make('div')
  const name = make('dt')
  name.append(make('kbd', key))
  row.append(name, make('dd', words))
  return row
}

/** @template {keyof HTMLElementTagNameMap} N @param {N} name */
function make(name, words = '', kind = '') {
  const element = document.createElement(name)
  element.textContent = words
  if (kind) element.className = kind
  return element
}

/**
 * A device without a mouse probably has no keyboard.
 * @param {HTMLElement} offer
 */
function offerKeys(offer) {
  if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return
  const button = offer.querySelector('button')
  const status = offer.querySelector('[role=status]')
  if (!button || !status) return
  const show = () => {
    const isOff = localStorage.getItem(keysOff) !== null
    button.textContent = isOff ? 'Switch on' : 'Switch off'
    status.textContent = isOff
      ? 'Single keys are off on this device'
      : 'Single keys work on this device; press ? to see them'
  }
  button.addEventListener('click', () => {
    if (localStorage.getItem(keysOff)) localStorage.removeItem(keysOff)
    else localStorage.setItem(keysOff, '1')
    show()
  })
  show()
  offer.hidden = false
}

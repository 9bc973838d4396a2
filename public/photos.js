/**
 * Adds photos: makes each smaller, shows it as it goes, and sends it again if it failed. Without this script the form
 * sends one photo at a time.
 */

const longestSide = 1_600
/** Smaller files of that size are sent as they are. */
const lightBytes = 500_000
const patienceMs = 300_000
/** Where it is told to wait for longer than that, it does not. */
const longestWaitS = 60
const mostTries = 20

for (const form of document.querySelectorAll('form[data-photos]')) {
  if (form instanceof HTMLFormElement) improve(form)
}
turnPages()

/** @param {HTMLFormElement} form */
function improve(form) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector('input[type=file]'))
  const list = /** @type {HTMLElement} */ (form.querySelector('.sending'))
  const status = /** @type {HTMLElement} */ (form.querySelector('[role=status]'))
  let room = Number(form.dataset.photos)
  let count = Number(form.dataset.there)
  let waiting = 0
  let failed = 0
  let sending = Promise.resolve()
  /** Say what was refused or left out since photos were chosen last. @type {HTMLElement[]} */
  let notes = []
  const removeForms = document.querySelectorAll('form[action$="/remove"]')
  const there = new Set([...removeForms].map((each) => each.getAttribute('action')))
  input.multiple = true
  input.required = false
  const button = form.querySelector('button[type=submit]')
  if (button instanceof HTMLElement) button.hidden = true
  form.addEventListener('submit', (event) => event.preventDefault())
  input.addEventListener('change', () => {
    const chosen = [...(input.files ?? [])]
    for (const each of notes) each.remove()
    notes = []
    const leftOut = chosen.splice(room).map(({ name }) => name)
    for (const file of chosen) add(file)
    if (leftOut.length > 0) note(`There was no room for ${leftOut.join(', ')}.`)
    input.value = ''
  })

  /** @param {File} file */
  function add(file) {
    changeRoom(-1)
    count += 1
    const item = newItem(`Photo ${count}`)
    list.append(item.element)
    const send = () => {
      waiting += 1
      sending = sending.then(() => sendShown(file, item)).then(finish)
    }
    item.again.addEventListener('click', () => {
      status.focus()
      item.again.hidden = true
      failed -= 1
      send()
    })
    send()
  }

  /** @param {File} file @param {ReturnType<typeof newItem>} item */
  async function sendShown(file, item) {
    item.words.textContent = 'Sending …'
    say(`${item.name} is being sent.`)
    try {
      const picture = await shrink(file, item.canvas)
      item.progress.hidden = false
      const onProgress = (/** @type {number} */ part) => (item.progress.value = part)
      const answer = await sendPatiently(picture, onProgress, item)
      item.words.textContent = 'Sent'
      say(`${item.name} was sent.`)
      const remove = answer.photos?.at(-1)?.remove_url
      if (remove) offerToRemove(item, new URL(remove).pathname)
    } catch (error) {
      const { message, mayPass } = /** @type {Failure} */ (error)
      if (mayPass) {
        say(`${item.name} was not sent. ${message}`)
        failed += 1
        item.words.textContent = message
        item.again.hidden = false
      } else {
        item.element.remove()
        changeRoom(1)
        say(`${item.name} was not sent.`)
        note(`${file.name}: ${message}`)
      }
    }
    item.progress.hidden = true
  }

  /** @param {Blob} picture @param {(part: number) => void} onProgress @param {ReturnType<typeof newItem>} item */
  async function sendPatiently(picture, onProgress, { words, name }) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await upload(form, form.action, picture, onProgress)
      } catch (error) {
        const { waitS } = /** @type {Failure} */ (error)
        if (!waitS || tries === mostTries) throw error
        words.textContent = 'Waiting …'
        say(`${name} waits, because many photos are coming in just now.`)
        await new Promise((done) => setTimeout(done, waitS * 1_000))
      }
    }
  }

  function finish() {
    waiting -= 1
    if (waiting > 0) return
    if (failed > 1) say(`${failed} photos were not sent. Please send them again.`)
    else if (room === 0 && failed === 0) say(`${status.textContent} There is room for no more.`)
    const isDone = failed === 0 && notes.length === 0
    if (isDone && form.dataset.after === 'reload') location.reload()
  }

  /** @param {ReturnType<typeof newItem>} item @param {string} path */
  function offerToRemove(item, path) {
    if (there.has(path)) {
      item.element.remove()
      changeRoom(1)
      return say(`${item.name} was there already.`)
    }
    there.add(path)
    const remove = newButton('Remove', `Remove ${item.name}`)
    item.element.append(remove)
    remove.addEventListener('click', () => void removeSent())
    const removeSent = async () => {
      remove.disabled = true
      try {
        await upload(form, path, null, () => {})
        there.delete(path)
        item.element.remove()
        changeRoom(1)
        say(`${item.name} was removed.`)
        input.focus()
      } catch (error) {
        remove.disabled = false
        say(/** @type {Error} */ (error).message)
      }
    }
  }

  /** @param {number} change */
  function changeRoom(change) {
    room += change
    if (room === 0 && document.activeElement === input) status.focus()
    input.disabled = room === 0
  }

  /** @param {string} words */
  function note(words) {
    const line = document.createElement('p')
    line.className = 'wrong'
    line.setAttribute('role', 'alert')
    line.textContent = words
    notes.push(line)
    status.before(line)
  }

  /** @param {string} text */
  function say(text) {
    status.textContent = text
  }
}

/** @param {string} name */
function newItem(name) {
  const element = document.createElement('li')
  const canvas = document.createElement('canvas')
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', name)
  const words = document.createElement('span')
  words.textContent = 'Waiting'
  const progress = document.createElement('progress')
  progress.max = 1
  progress.value = 0
  progress.setAttribute('aria-label', `${name}: sent so far`)
  const again = newButton('Send again', `Send again: ${name}`)
  again.hidden = true
  element.append(canvas, progress, words, again)
  return { name, element, canvas, words, progress, again }
}

/** @param {string} words @param {string} label */
function newButton(words, label) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = words
  button.setAttribute('aria-label', label)
  return button
}

/**
 * What the browser cannot read is sent as it is: the answer says what is wrong with it.
 * @param {File} file @param {HTMLCanvasElement} canvas @returns {Promise<Blob>}
 */
async function shrink(file, canvas) {
  try {
    const bitmap = await createImageBitmap(file)
    const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
    canvas.width = Math.round(bitmap.width * scale)
    canvas.height = Math.round(bitmap.height * scale)
    const paint = canvas.getContext('2d')
    if (paint === null) return file
    paint.fillStyle = 'white'
    paint.fillRect(0, 0, canvas.width, canvas.height)
    paint.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    bitmap.close()
    if (scale === 1 && file.size < lightBytes) return file
    const smaller = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', 0.85))
    return smaller instanceof Blob && smaller.size < file.size ? smaller : file
  } catch {
    return file
  }
}

/**
 * `mayPass`: it may succeed another time, and with `waitS` after so many seconds.
 * @typedef {Error & { mayPass?: boolean, waitS?: number }} Failure
 */

/**
 * Fails with a sentence. `fetch` cannot say how far it is.
 * @param {HTMLFormElement} form @param {string} path @param {Blob | null} body
 * @param {(part: number) => void} onProgress @returns {Promise<{ photos?: { remove_url: string }[] }>}
 */
function upload(form, path, body, onProgress) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.timeout = patienceMs
    request.responseType = 'json'
    request.setRequestHeader('Accept', 'application/json')
    if (body) request.setRequestHeader('Content-Type', body.type || 'application/octet-stream')
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    const lost = () =>
      fail(Object.assign(new Error('There is no connection right now.'), { mayPass: true }))
    request.addEventListener('error', lost)
    request.addEventListener('timeout', lost)
    request.addEventListener('load', () => {
      const { status, response } = request
      // What is to be removed and is not there is removed.
      if (response && (status === 200 || (status === 404 && !body))) return done(response)
      const asked = Number(request.getResponseHeader('Retry-After'))
      const waitS = asked <= longestWaitS ? asked : 0
      const mayPass = waitS > 0 || status === 408 || status === 500
      fail(Object.assign(new Error(problemIn(response, form)), { mayPass, waitS }))
    })
    request.send(body)
  })
}

/** @param {any} answer @param {HTMLFormElement} form */
function problemIn(answer, form) {
  if (answer?.say) return answer.say
  if (!answer?.error) return 'Something changed meanwhile. Load this page again.'
  const words = JSON.parse(form.dataset.words ?? '{}')
  return words[answer.error.code] ?? words.other
}

/** The page of one photo: arrow keys, and a thumb that wipes. */
function turnPages() {
  const photo = document.querySelector('.large-photo')
  if (!(photo instanceof HTMLElement)) return
  /** @param {'prev' | 'next'} rel */
  const turn = (rel) => {
    const link = document.querySelector(`.turn a[rel=${rel}]`)
    if (link instanceof HTMLElement) link.click()
  }
  addEventListener('keydown', ({ key, altKey, ctrlKey, metaKey }) => {
    if (altKey || ctrlKey || metaKey) return
    if (key === 'ArrowLeft') turn('prev')
    if (key === 'ArrowRight') turn('next')
  })
  let from = 0
  photo.addEventListener('touchstart', ({ touches }) => {
    from = touches.length === 1 ? (touches[0]?.clientX ?? NaN) : NaN
  })
  photo.addEventListener('touchend', ({ changedTouches }) => {
    const wiped = (changedTouches[0]?.clientX ?? NaN) - from
    if (Math.abs(wiped) > 60) turn(wiped > 0 ? 'prev' : 'next')
  })
}

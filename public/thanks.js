/** Shows the button of the thanks page that copies the receipt's address. Without this script the button is hidden. */

const button = document.querySelector('button[data-copy]')

// Browsers offer the clipboard on secure pages only.
if (button && navigator.clipboard) {
  button.hidden = false
  button.addEventListener('click', () => void copy(button))
}

/** @param {HTMLElement} pressed */
async function copy(pressed) {
  await navigator.clipboard.writeText(pressed.dataset.copy ?? '')
  pressed.textContent = 'Copied'
}

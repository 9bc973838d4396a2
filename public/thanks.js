/** Shows the button of the thanks page that copies the receipt's address. Without this script the button is hidden. */

const button = document.querySelector('button[data-copy]')

// Browsers offer the clipboard on secure pages only.
if (button && navigator.clipboard) {
  button.hidden = false
  button.addEventListener('click', () => void copy())
}

async function copy() {
  await navigator.clipboard.writeText(button.dataset.copy)
  button.textContent = 'Copied'
}

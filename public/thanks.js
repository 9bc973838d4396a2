/** The thanks page: a button that copies the address of the receipt. Without this script it stays hidden. */

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

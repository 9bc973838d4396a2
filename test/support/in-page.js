/**
 * What the checks of pages ask within a page. As one function without a handle or a locator: either brings code of
 * Playwright's own into each page, which takes longer than to load the page.
 */

/** A link within a line of text is as high as its line, so it is no small target. */
export function misfits(/** @type {number} */ leastTargetPx) {
  const { documentElement: root, body } = document
  const targets = [...body.querySelectorAll('a, button, input, select, textarea, summary')]
    .filter((element) => element.checkVisibility() && !isInText(element))
    .map((element) => ({ element, box: pressed(element).getBoundingClientRect() }))
  return {
    sidewaysPx: root.scrollWidth - root.clientWidth,
    brokenWords: wordsOnTwoLines(),
    smallTargets: targets
      .filter(({ box }) => box.width < leastTargetPx || box.height < leastTargetPx)
      .map(({ element, box }) => `${box.width} x ${box.height}: ${element.outerHTML}`),
    coveredTargets: targets.flatMap((one, at) =>
      targets
        .slice(at + 1)
        .filter((other) => isFoldedWith(one.element, other.element) && isOver(one.box, other.box))
        .map((other) => `${one.element.outerHTML} over ${other.element.outerHTML}`),
    ),
  }

  /** Words of at most 16 letters that begin on one line and end on the next. */
  function wordsOnTwoLines() {
    /** @type {string[]} */
    const broken = []
    const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const node = /** @type {Text} */ (texts.currentNode)
      if (!node.parentElement?.checkVisibility() || linesOf(node, 0, node.length) < 2) continue
      for (const { index, 0: word } of node.data.matchAll(/(?<![^\s])[a-z]{2,16}(?![^\s.,:;])/gi)) {
        if (linesOf(node, index, index + word.length) > 1) {
          broken.push(`${word} in ${node.data.trim()}`)
        }
      }
    }
    return broken
  }

  function linesOf(/** @type {Text} */ node, /** @type {number} */ from, /** @type {number} */ to) {
    const range = document.createRange()
    range.setStart(node, from)
    range.setEnd(node, to)
    return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size
  }

  function isInText(/** @type {Element} */ element) {
    const isAlone = element.parentNode?.textContent?.trim() === element.textContent.trim()
    return !isAlone && getComputedStyle(element).display === 'inline'
  }

  /** An open menu lies over the page. */
  function isFoldedWith(/** @type {Element} */ one, /** @type {Element} */ other) {
    return one.closest('details') === other.closest('details')
  }

  function isOver(/** @type {DOMRect} */ one, /** @type {DOMRect} */ other) {
    const isBeside = one.right <= other.left || other.right <= one.left
    return !isBeside && one.bottom > other.top && other.bottom > one.top
  }

  /** Pressing the label of a box ticks it. */
  function pressed(/** @type {Element} */ element) {
    const isInLabel = element.matches('label > [type=checkbox], label > [type=radio]')
    return (isInLabel && element.parentElement) || element
  }
}

/** Pairs of visible links to the phone that are closer to each other than the screen is high. */
export function phonesOnOneScreen() {
  const links = [...document.querySelectorAll('a[href^="tel:"]')]
  let last = -Infinity
  return links
    .filter((link) => link.checkVisibility())
    .filter((link) => {
      const { top } = link.getBoundingClientRect()
      const isNear = top - last < innerHeight
      last = top
      return isNear
    })
    .map((link) => link.parentElement?.outerHTML)
}

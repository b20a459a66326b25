// What is wrong with how a table stands on the screen.

export const sizes = [{ width: 360, height: 740 }, { width: 740, height: 360 }, { width: 1280, height: 800 }]

/** What sticks out, is covered, lies over another, or is in two lines where it must not be. */
export function layout(page) {
  return page.evaluate(() => {
    const wrong = []
    const what = (element) => element.outerHTML.replace(/<svg.*?<\/svg>/gs, '').slice(0, 110)
    const shown = (element) => !element.closest('.hidden, dialog') && element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden'
    const all = (selector) => [...document.querySelectorAll(selector)].filter(shown)
    // Not innerWidth: on a phone that grows with the page.
    const { scrollWidth, scrollHeight, clientWidth: width, clientHeight: height } = document.documentElement
    if (scrollWidth > width || scrollHeight > height) wrong.push(`the page is ${scrollWidth}×${scrollHeight}`)

    // Half a pixel is rounding; a card turns by a little. A long name ends in dots.
    const covers = document.querySelector('.result') ? ', .result, .result *' : ', .seat, .seat *:not(.bot, .card *), .own-card, .actions *, .look-back, .talk, .trump'
    for (const element of all(`.game, .bar, .bar *:not(svg *), .felt, .rail, .me *:not(svg *, .bot), .played${covers}`)) {
      const box = element.getBoundingClientRect()
      if (box.left < -1 || box.top < -1 || box.right > width + 1 || box.bottom > height + 1) wrong.push(`sticks out: ${what(element)}`)
      const style = getComputedStyle(element)
      if (element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible' && !element.matches('.backs, .name')) wrong.push(`is cut: ${what(element)}`)
      if (element.matches('.result') && element.scrollHeight > element.clientHeight + 1) wrong.push(`scrolls: ${what(element)}`)
    }

    // Cards and buttons can be hit wherever one taps on them.
    for (const element of all('.own-card, .game button')) {
      if (document.querySelector('.result') && !element.closest('.result, .bar')) continue
      const box = element.getBoundingClientRect()
      for (const [x, y] of [[0.5, 0.5], [0.15, 0.15], [0.85, 0.15], [0.15, 0.85], [0.85, 0.85]]) {
        const hit = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y)
        // A round button has no corners.
        if (!element.contains(hit) && (x === 0.5 || !element.matches('.icon-button'))) wrong.push(`is covered at ${x}, ${y}: ${what(element)} by ${hit && what(hit)}`)
      }
      if (box.width < 40 || box.height < 32) wrong.push(`is small: ${Math.round(box.width)}×${Math.round(box.height)} ${what(element)}`)
    }

    // Everybody can read what the others say.
    for (const element of all('.seat .bubble')) {
      if (document.querySelector('.result')) continue
      const box = element.getBoundingClientRect()
      for (const x of [0.08, 0.5, 0.92]) {
        const hit = document.elementFromPoint(box.left + box.width * x, box.top + box.height / 2)
        if (!element.contains(hit)) wrong.push(`is covered at ${x}: ${what(element)} by ${hit && what(hit)}`)
      }
    }

    // What a card of the trick is stands in its corner above.
    for (const element of all('.played')) {
      const box = element.getBoundingClientRect()
      const hit = document.elementFromPoint(box.left + box.width * 0.25, box.top + box.height * 0.15)
      if (!element.contains(hit) && !document.querySelector('.result')) wrong.push(`its corner is covered: ${what(element)} by ${hit && what(hit)}`)
    }

    // Nothing of a kind lies over another.
    for (const selector of ['.bar .side, .bar .goal, .bar > .icon-button, .contract', '.me > *', '.seat .plate, .seat .backs, .seat .bubble', '.actions button', '.own-card']) {
      const boxes = all(selector).filter((element) => !document.querySelector('.result') || element.closest('.bar')).map((element) => [element, element.getBoundingClientRect()])
      boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, other]) => {
        if (a.contains(b) || b.contains(a)) return
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
        if (wide > 1 && high > 1) wrong.push(`over each other: ${what(a)} and ${what(b)}`)
      }))
    }
    for (const element of all('.side strong, .name, .goal span, .bubble:not(.words, .cante)')) {
      const { height } = element.getBoundingClientRect()
      if (height > parseFloat(getComputedStyle(element).lineHeight) * 1.6 + parseFloat(getComputedStyle(element).paddingTop) * 2) wrong.push(`stands in two lines: ${what(element)}`)
    }
    return wrong
  })
}

import { still } from '../device'

/** Where own cards stood when they were played: from there they fly. */
const left = new Map<string, DOMRect>()

export const leaveFrom = (card: string, rect: DOMRect) => void left.set(card, rect)

export function takeLeft(card: string): DOMRect | null {
  const rect = left.get(card) ?? null
  left.delete(card)
  return rect
}

const middle = (rect: DOMRect) => ({ x: rect.left + rect.width / 2, y: rect.top + rect.height / 2 })

/**
 * Where an element would have to stand to lie over another place. Moved by `translate` and `scale`, it keeps what turns it, and
 * goes straight.
 */
function over(element: Element, place: DOMRect, scale: number): Keyframe {
  const from = middle(element.getBoundingClientRect())
  const to = middle(place)
  const { translate } = getComputedStyle(element)
  const [x = '0px', y = '0px'] = translate === 'none' ? [] : translate.split(' ')
  return { translate: `calc(${x} + ${to.x - from.x}px) calc(${y} + ${to.y - from.y}px)`, scale: String(scale) }
}

/** Lets an element come from a place; it stands where it belongs, and nothing waits for it. */
export function flyIn(element: HTMLElement, place: DOMRect | null, { small = false } = {}): void {
  if (!place || still()) return
  const scale = small ? 0.6 : place.width / element.offsetWidth
  element.animate(
    // It ends as it lies.
    [{ ...over(element, place, scale), opacity: small ? 0.3 : 1 }, {}],
    { duration: 260, easing: 'cubic-bezier(.2, .75, .3, 1)' },
  )
}

/** Lets an element go to a place, and calls back when it is gone; at once where nothing moves. */
export function flyOut(element: HTMLElement, place: DOMRect | null, gone: () => void): void {
  if (!place || still()) return gone()
  const flight = element.animate(
    [{}, { ...over(element, place, 0.45), opacity: 0 }],
    { duration: 300, easing: 'cubic-bezier(.5, 0, .8, .4)', fill: 'forwards' },
  )
  flight.onfinish = gone
  flight.oncancel = gone
}

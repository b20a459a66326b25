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

/** The move that would bring an element from its place to another, as a transform. */
function towards(element: Element, place: DOMRect, scale: number): string {
  const from = middle(element.getBoundingClientRect())
  const to = middle(place)
  return `translate(${to.x - from.x}px, ${to.y - from.y}px) scale(${scale})`
}

/** Lets an element come from a place; it stands where it belongs, and nothing waits for it. */
export function flyIn(element: HTMLElement, place: DOMRect | null, { small = false } = {}): void {
  if (!place || still()) return
  const own = element.getBoundingClientRect()
  const scale = small ? 0.6 : place.width / own.width
  element.animate(
    [{ transform: `${towards(element, place, scale)}`, opacity: small ? 0.3 : 1 }, { transform: 'none', opacity: 1 }],
    { duration: 260, easing: 'cubic-bezier(.2, .75, .3, 1)', composite: 'add' },
  )
}

/** Lets an element go to a place, and calls back when it is gone; at once where nothing moves. */
export function flyOut(element: HTMLElement, place: DOMRect | null, gone: () => void): void {
  if (!place || still()) return gone()
  const flight = element.animate(
    [{ transform: 'none', opacity: 1 }, { transform: towards(element, place, 0.45), opacity: 0 }],
    { duration: 300, easing: 'cubic-bezier(.5, 0, .8, .4)', composite: 'add', fill: 'forwards' },
  )
  flight.onfinish = gone
  flight.oncancel = gone
}

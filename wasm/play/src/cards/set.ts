import { useEffect, useState } from 'preact/hooks'

/** `drawn` has figures; `clear` a large number, the suit's sign and one strong colour. */
export type CardSet = 'drawn' | 'clear'

const wanted = typeof matchMedia === 'function' ? matchMedia('(prefers-contrast: more)') : null
const listeners = new Set<() => void>()
let chosen: CardSet | null = null

const current = (): CardSet => chosen ?? (wanted?.matches ? 'clear' : 'drawn')
const tell = () => listeners.forEach((listener) => listener())
wanted?.addEventListener('change', tell)

/** Chooses the cards for the whole page; null leaves it to what the system asks for. */
export function chooseCards(set: CardSet | null): void {
  chosen = set
  tell()
}

/** Which cards are shown. */
export function useCardSet(): CardSet {
  const [set, put] = useState(current)
  useEffect(() => {
    const listener = () => put(current())
    listener()
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return set
}

import { Face } from '../cards/face'
import type { Schemas } from '../game/client'

/** A player in a list: the card that they chose, and their name. */
export const Person = ({ of, you }: { of: Schemas['Person']; you?: string | undefined }) => (
  <span class="league-person">
    <span class="card" aria-hidden="true"><Face card={of.avatar} /></span>
    {you ? <span class="name" data-raw>{of.name}</span> : <a class="name" href={`/players/${of.id}`} data-raw>{of.name}</a>}
    {you && <small class="you">{you}</small>}
  </span>
)

import './cards.css'
import { Face } from './face'

/** A player's picture, whole: the card that they chose. It says nothing by itself, since the name is beside it. */
export const PlayerCard = ({ card }: { card: string }) => <span class="player-card card" aria-hidden="true"><Face card={card} /></span>

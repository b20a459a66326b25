import './felt.css'
import { Face } from '../cards/face'

/** A player's picture: the card that they chose. It says nothing by itself, since the name is beside it. */
export const Avatar = ({ card }: { card: string }) => <span class="player-card card" aria-hidden="true"><Face card={card} /></span>

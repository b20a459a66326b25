import { useLocation, useRoute } from 'preact-iso'
import { useRef } from 'preact/hooks'
import { levelOf, type HouseRules } from '../game/types'
import { OnlineTable } from '../game/online'
import { placeOf } from '../lobby/bar'
import { useSession } from '../session'
import { TablePage } from './page'

/** A match that the server keeps, by its identifier in the address. */
export default function OnlinePage() {
  const { params } = useRoute()
  const { route } = useLocation()
  const { engagement } = useSession()
  const id = params['id']!
  // A match with people, even if the machine took every other seat: those against the machine alone take nobody up.
  const withPeople = useRef('')
  if (engagement?.kind === 'match' && engagement.id === id) withPeople.current = id
  return (
    <TablePage
      key={id}
      open={() => OnlineTable.open(id)}
      onAgain={(table) => {
        const { view, players } = table.state
        const others = players.filter((player) => !player.bot).length > 1
        if (others || withPeople.current === id) return route(placeOf(engagement) ?? '/queue')
        void OnlineTable.start(view.rules as HouseRules, players.map((player) => levelOf(player.level))).then((next) => route('/matches/' + next))
      }}
    />
  )
}

import { useLocation, useRoute } from 'preact-iso'
import { levelOf, type HouseRules } from '../game/types'
import { OnlineTable } from '../game/online'
import { TablePage } from './page'

/** A match that the server keeps, by its identifier in the address. */
export default function OnlinePage() {
  const { params } = useRoute()
  const { route } = useLocation()
  const id = params['id']!
  return (
    <TablePage
      key={id}
      open={() => OnlineTable.open(id)}
      onAgain={(table) => {
        const { view, players } = table.state
        void OnlineTable.start(view.rules as HouseRules, players.map((player) => levelOf(player.level))).then((next) => route('/matches/' + next))
      }}
    />
  )
}

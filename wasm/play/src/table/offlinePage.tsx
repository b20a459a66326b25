import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { chosenLevels, houseRules } from '../bots/setup'
import { setup, usualSetup } from '../device'
import { forgetMatch, keptMatch } from '../game/kept'
import { OfflineTable } from '../game/offline'
import { TablePage } from './page'

/** The match on this device alone: the one that was left, or with `?new` another with the last choices. */
export default function OfflinePage() {
  const { query, route } = useLocation()
  const [again, setAgain] = useState(0)
  const chosen = setup() ?? usualSetup
  return (
    <TablePage
      key={again}
      open={async () => {
        const kept = again === 0 && query['new'] === undefined && keptMatch() ? await OfflineTable.resume() : null
        // From now on a reload comes back to this one.
        if (query['new'] !== undefined) route('/table', true)
        return kept ?? OfflineTable.start(houseRules(chosen), chosenLevels(chosen))
      }}
      onOver={forgetMatch}
      onAgain={() => setAgain(again + 1)}
    />
  )
}

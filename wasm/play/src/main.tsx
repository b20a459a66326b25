import '@cuatrola/ui/styles/tokens.css'
import '@cuatrola/ui/styles/base.css'
import '@cuatrola/ui/styles/ui.css'
import './cards/cards.css'
import './page.css'
import { Problem } from '@cuatrola/client'
import { render } from 'preact'
import { App } from './app'
import { applyTheme, applyWays, theme, ways } from './device'
import { client } from './game/client'
import { warmUp } from './game/engine'
import './home/install'
import { keep } from './shell/version'

applyTheme(theme())
applyWays(ways())

// The operator is told of what nobody has caught; that the server cannot be reached is nobody's fault.
addEventListener('error', (event) => client.reportFault({ kind: 'crash', message: event.message }))
addEventListener('unhandledrejection', ({ reason }) => reason instanceof Problem || client.reportFault({ kind: 'crash', message: String(reason) }))

void client.start().then(() => {
  render(<App />, document.getElementById('app')!)
  if (document.readyState === 'complete') whenIdle()
  else addEventListener('load', whenIdle)
})

/** What can wait until the first page is there: the table, for the first tap, and all that a start without a server takes. */
function whenIdle(): void {
  const idle = (work: () => void) => ('requestIdleCallback' in window ? requestIdleCallback(work, { timeout: 2000 }) : setTimeout(work, 300))
  idle(() => {
    void import('./table/offlinePage')
    warmUp()
    // In development Vite serves the files and nothing must be kept.
    if (import.meta.env.PROD) idle(() => void keep().catch((err: unknown) => console.warn('no start without a server:', err)))
  })
}

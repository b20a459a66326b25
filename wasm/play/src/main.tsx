import '@cuatrola/ui/styles/tokens.css'
import '@cuatrola/ui/styles/base.css'
import '@cuatrola/ui/styles/ui.css'
import './cards/cards.css'
import './page.css'
import { render } from 'preact'
import { App } from './app'
import { applyTheme, theme } from './device'
import { client } from './game/client'

applyTheme(theme())
void client.start().then(() => render(<App />, document.getElementById('app')!))

// In development Vite serves the files and nothing must be kept.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('/sw.js').catch((err: unknown) => console.warn('no offline start:', err))
}

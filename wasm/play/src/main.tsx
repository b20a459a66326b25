import { render } from 'preact'
import { App } from './app'
import { loadEngine } from './game/engine'
import { translator } from './i18n'
import * as settings from './settings'
import './styles.css'

settings.applyTheme(settings.theme())
const root = document.getElementById('app')!

loadEngine().then(
  (engine) => render(<App engine={engine} />, root),
  (err: unknown) => {
    console.error(err)
    root.textContent = translator(settings.language())('unsupported')
  },
)

// In development Vite serves the files and nothing must be kept.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('/sw.js').catch((err: unknown) => console.warn('no offline start:', err))
}

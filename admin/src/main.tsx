import { render } from 'preact'
import { App } from './app'
import { applyTheme, theme } from './settings'
import '@cuatrola/ui/styles/tokens.css'
import '@cuatrola/ui/styles/base.css'
import './styles/shell.css'
import '@cuatrola/ui/styles/ui.css'

applyTheme(theme())
render(<App />, document.getElementById('app')!)

import { render } from 'preact'
import { App } from './app'
import { applyTheme, theme } from './settings'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/ui.css'

applyTheme(theme())
render(<App />, document.getElementById('app')!)

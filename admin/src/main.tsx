import { applyTheme, theme } from '@cuatrola/ui'
import { render } from 'preact'
import { App } from './app'
import '@cuatrola/ui/styles/tokens.css'
import '@cuatrola/ui/styles/base.css'
import './styles/shell.css'
import '@cuatrola/ui/styles/ui.css'

applyTheme(theme())
render(<App />, document.getElementById('app')!)

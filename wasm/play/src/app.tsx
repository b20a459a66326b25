import { Button, ButtonLink, Empty, Failing, LanguageContext, Page, Toasts, useTexts, type Language } from '@cuatrola/ui'
import { Compass, RefreshCw } from 'lucide'
import { lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { MailLinks } from './account/mailLink'
import { pages } from './areas'
import * as device from './device'
import { Home } from './home/home'
import { LobbyWatch } from './lobby/watch'
import { SessionProvider } from './session'
import { Shell } from './shell/shell'
import { texts } from './shell/texts'

export function App() {
  const [language, setLanguage] = useState(device.language)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const languages = useMemo(() => ({
    language,
    choose: (code: Language) => {
      device.keepLanguage(code)
      setLanguage(code)
    },
  }), [language])
  return (
    <LanguageContext.Provider value={languages}>
      <Toasts>
        <SessionProvider>
          <LocationProvider>
            <Pages />
            <LobbyWatch />
          </LocationProvider>
          <MailLinks />
        </SessionProvider>
      </Toasts>
    </LanguageContext.Provider>
  )
}

// The start is there at once; every other page comes when it is opened.
const routes = Object.entries(pages).map(([path, page]) => ({ path, page, component: lazy(page.load) }))

/** The area of an address; null for one that stands alone. */
function areaOf(path: string): string | null {
  const found = Object.entries(pages).find(([pattern]) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}/?$`).test(path))
  return found ? found[1].area : 'home'
}

function Pages() {
  const { path } = useLocation()
  const area = areaOf(path)
  const router = (
    <Failing key={path} instead={<Failed />}>
      <Router>
        {[
          <Route key="home" path="/" component={Home} />,
          ...routes.map((r) => <Route key={r.path} path={r.path} component={r.component} />),
          <Route key="none" default component={Nowhere} />,
        ]}
      </Router>
    </Failing>
  )
  return area === null ? router : <Shell area={area}>{router}</Shell>
}

function Nowhere() {
  const t = useTexts(texts)
  return (
    <Page title={t('not_here')}>
      <Empty icon={Compass} title={t('not_here_help')} action={<ButtonLink kind="strong" href="/">{t('go_home')}</ButtonLink>} />
    </Page>
  )
}

/** In place of a page whose code does not come or fails. */
function Failed() {
  const t = useTexts(texts)
  return (
    <Page title={t('failed')}>
      <div data-failed><Empty title={t('failed')} action={<Button kind="strong" icon={RefreshCw} onClick={() => location.reload()}>{t('reload')}</Button>}>{t('failed_help')}</Empty></div>
    </Page>
  )
}

import {
  asProblem, Button, ButtonLink, Empty, Failing, keepLanguage, language as keptLanguage, type Language, LanguageContext, Page,
  type Problem, ProblemNote, Skeleton, Toasts, useTexts,
} from '@cuatrola/ui'
import { Compass, RefreshCw } from 'lucide'
import { lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { api, ask, onSessionLost, readSession } from './api/client'
import type { Session } from './api/types'
import { areas } from './areas'
import { SessionContext, useSession, type Signed } from './session'
import { Shell, visible } from './shell/shell'
import { texts } from './shell/texts'
import { Invitation } from './sign/invitation'
import { SignIn } from './sign/signIn'

export function App() {
  const [language, setLanguage] = useState(keptLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const languages = useMemo(() => ({
    language,
    choose: (code: Language) => {
      keepLanguage(code)
      setLanguage(code)
    },
  }), [language])
  return (
    <LanguageContext.Provider value={languages}>
      <Toasts>
        <LocationProvider scope="/admin"><Entrance /></LocationProvider>
      </Toasts>
    </LanguageContext.Provider>
  )
}

/** Asks who is signed in, and lets in. What was open stays open below when a session ends. */
function Entrance() {
  const { path, route } = useLocation()
  const [session, setSession] = useState<Session | null>(null)
  const [state, setState] = useState<'asking' | 'out' | 'in' | 'lost'>('asking')
  const [problem, setProblem] = useState<Problem | null>(null)

  const arrive = useCallback((found: Session | null) => {
    setSession(found)
    setState(found ? 'in' : 'out')
  }, [])
  const read = useCallback(() => {
    setProblem(null)
    return readSession().then(arrive, (err: unknown) => setProblem(asProblem(err)))
  }, [])
  useEffect(() => {
    onSessionLost(() => setState((s) => (s === 'in' ? 'lost' : s)))
    void read()
  }, [])

  const signed = useMemo<Signed | null>(() => session && {
    session,
    may: (permission) => session.permissions.includes(permission),
    refresh: read,
    signOut: async () => {
      await ask(api.DELETE('/admin/v1/session')).catch(() => undefined)
      arrive(null)
    },
  }, [session])

  if (path === '/admin/invitation') {
    return (
      <Invitation
        onDone={() => {
          route('/admin', true)
          void read()
        }}
      />
    )
  }
  if (problem) return <main class="sign"><ProblemNote problem={problem} retry={() => void read()} /></main>
  if (state === 'asking') return <main class="sign" aria-busy="true"><Skeleton lines={3} /></main>
  if (state === 'out' || !signed) return <SignIn onDone={arrive} />
  return (
    <SessionContext.Provider value={signed} key={signed.session.member.id}>
      <Shell><Pages /></Shell>
      {state === 'lost' && <SignIn over onDone={arrive} />}
    </SessionContext.Provider>
  )
}

const routes = areas.flatMap((area) =>
  Object.entries(area.pages).map(([rest, load]) => ({ area, path: rest ? `${area.path}/${rest}` : area.path, component: lazy(load) })),
)

function Pages() {
  const { may } = useSession()
  const { path } = useLocation()
  const seen = visible(may)
  return (
    <Failing key={path} instead={<Failed />}>
      <Router>
        {[
          ...routes.filter((r) => seen.includes(r.area)).map((r) => <Route key={r.path} path={r.path} component={r.component} />),
          <Route key="home" path="/admin" component={Home} />,
          <Route key="none" default component={Nowhere} />,
        ]}
      </Router>
    </Failing>
  )
}

/** Where one arrives: the first area that one may see. */
function Home() {
  const { may } = useSession()
  const { route } = useLocation()
  useEffect(() => route(visible(may)[0]!.path, true), [])
  return null
}

function Nowhere() {
  const t = useTexts(texts)
  return (
    <Page title={t('not_here')}>
      <Empty icon={Compass} title={t('not_here_help')} action={<ButtonLink kind="strong" href="/admin">{t('go_home')}</ButtonLink>} />
    </Page>
  )
}

/** In place of a page whose code does not come or fails. */
function Failed() {
  const t = useTexts(texts)
  return (
    <Page title={t('failed')}>
      <Empty title={t('failed')} action={<Button kind="strong" icon={RefreshCw} onClick={() => location.reload()}>{t('reload')}</Button>}>{t('failed_help')}</Empty>
    </Page>
  )
}

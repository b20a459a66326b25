import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Server, type StoppedPart } from './api/client'
import type { Engine } from './game/engine'
import { OfflineTable } from './game/offline'
import { OnlineTable } from './game/online'
import { levelOf, Refusal, type HouseRules, type Level, type Table } from './game/types'
import { Home } from './home'
import { TranslateContext, translator, type Language } from './i18n'
import { MailLinkDialog, takeMailLink } from './mailLink'
import { SettingsDialog } from './settingsDialog'
import * as settings from './settings'
import { TableScreen } from './table/screen'

/** The page: the start, or a table. Which match is open is kept, so that a reload comes back to it. */
export function App({ engine }: { engine: Engine }) {
  const server = useMemo(() => new Server(), [])
  const [language, setLanguage] = useState(settings.language)
  const [theme, setTheme] = useState(settings.theme)
  const [showSettings, setShowSettings] = useState(false)
  const [serverUp, setServerUp] = useState<boolean | null>(null)
  const [stopped, setStopped] = useState<readonly StoppedPart[]>([])
  const [table, setTable] = useState<Table | null>(null)
  const [opening, setOpening] = useState(() => settings.openMatch() !== null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [open, setOpen] = useState(settings.openMatch)
  const [mailLink, setMailLink] = useState(takeMailLink)
  const last = useRef<{ rules: HouseRules; levels: readonly Level[]; online: boolean } | null>(null)
  const t = useMemo(() => translator(language), [language])

  useEffect(() => {
    document.documentElement.lang = language
  }, [language])

  // Asked again whenever the start page shows: the server may have come or gone.
  useEffect(() => {
    if (table) return
    let current = true
    const ask = () => void server.reachable().then(async (up) => {
      if (!current) return
      setServerUp(up)
      const parts = up ? await server.stopped() : []
      if (current) setStopped(parts)
    })
    ask()
    addEventListener('online', ask)
    addEventListener('offline', ask)
    return () => {
      current = false
      removeEventListener('online', ask)
      removeEventListener('offline', ask)
    }
  }, [table, server])

  // A link that opens in a tab that has the page already.
  useEffect(() => {
    const look = () => setMailLink((now) => takeMailLink() ?? now)
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])

  const keepOpen = (value: settings.Open | null) => {
    settings.keepOpenMatch(value)
    setOpen(value)
  }

  const attempt = async (what: () => Promise<Table>) => {
    setBusy(true)
    setFailure(null)
    try {
      setTable(await what())
    } catch (err) {
      setFailure(err instanceof Refusal ? (err.code === 'suspended' ? t.suspended(err.body) : t.reason(err.code)) : t('failed', { why: err instanceof Error ? err.message : String(err) }))
    } finally {
      setBusy(false)
      setOpening(false)
    }
  }

  const start = (rules: HouseRules, levels: readonly Level[], online: boolean) => {
    last.current = { rules, levels, online }
    void attempt(async () => {
      if (!online) {
        keepOpen({ kind: 'offline' })
        return OfflineTable.start(engine, rules, levels)
      }
      const started = await OnlineTable.start(engine, server, rules, levels)
      keepOpen({ kind: 'online', id: started.id })
      return started
    })
  }

  const resume = () => {
    if (!open) return
    void attempt(async () => {
      if (open.kind === 'online') {
        return OnlineTable.resume(engine, server, open.id).catch((err: unknown) => {
          // This server does not know the match, or not as this player's: there is nothing to come back to.
          if (err instanceof Refusal && (err.status === 404 || err.code === 'forbidden')) keepOpen(null)
          throw err
        })
      }
      const kept = OfflineTable.resume(engine)
      if (!kept) {
        keepOpen(null)
        throw new Refusal('match_over')
      }
      return kept
    })
  }

  // A reload in mid-match goes straight back to the table.
  useEffect(() => {
    if (open) resume()
  }, [])

  const leave = () => {
    if (!table) return
    const over = table.state.view.phase === 'over'
    table.close()
    setTable(null)
    if (over) {
      keepOpen(null)
      if (open?.kind === 'offline') OfflineTable.forget()
    }
  }

  return (
    <TranslateContext.Provider value={t}>
      <a class="skip" href="#content">{t('skip')}</a>
      {table ? (
        <TableScreen
          key={table.id}
          engine={engine}
          table={table}
          onHome={leave}
          onAgain={() => {
            const rules = last.current?.rules ?? table.state.view.rules.preset
            const levels = last.current?.levels ?? table.state.players.map((player) => levelOf(player.level))
            const online = last.current?.online ?? open?.kind === 'online'
            table.close()
            start(rules, levels, online)
          }}
          onSettings={() => setShowSettings(true)}
        />
      ) : opening ? null : (
        <Home
          engine={engine}
          serverUp={serverUp}
          stopped={stopped}
          language={language}
          resumable={open !== null}
          busy={busy}
          failure={failure}
          onStart={start}
          onResume={resume}
          onAbandon={() => {
            if (open?.kind === 'offline') OfflineTable.forget()
            keepOpen(null)
          }}
          onSettings={() => setShowSettings(true)}
        />
      )}
      {mailLink && (
        // A dialog tells late that it was closed: by then another link may have opened one of its own.
        <MailLinkDialog
          key={mailLink.token + mailLink.kind}
          link={mailLink}
          server={server}
          onClose={() => setMailLink((now) => (now === mailLink ? null : now))}
        />
      )}
      {showSettings && (
        <SettingsDialog
          language={language}
          theme={theme}
          server={serverUp ? server : null}
          onLanguage={(code: Language) => {
            setLanguage(code)
            settings.keepLanguage(code)
          }}
          onTheme={(choice) => {
            setTheme(choice)
            settings.applyTheme(choice)
          }}
          onClose={() => setShowSettings(false)}
        />
      )}
    </TranslateContext.Provider>
  )
}

import { ask } from '@cuatrola/client'
import { asProblem, useLanguage, type Problem } from '@cuatrola/ui'
import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { deviceName } from './device'
import { api, client, type Schemas } from './game/client'

/** Who plays on this device, and what a page around everything has to know of them. */
export interface Session {
  /** Null while nobody is signed in. */
  player: Schemas['Player'] | null
  /** Whether the server answers; null while that is not known yet. */
  up: boolean | null
  /** What one is taken up with; null while that is not known. It comes anew by itself. */
  engagement: Schemas['Engagement'] | null
  /** How many notices are not read. */
  unread: number
  /** What the house has stopped for a while. */
  stopped: readonly Schemas['StoppedPart'][]
  /** Why the house keeps this player out, as it was refused; null while that is not so. */
  keptOut: Problem | null
  /** Whoever plays, and a new guest, of that name if there is one, if nobody does. Throws a Problem. */
  enter(name?: string): Promise<Schemas['Player']>
  /** Puts what an answer said of the player in the place of what was known. */
  update(player: Schemas['Player']): void
  /** Asks who one is anew: something has changed elsewhere. */
  reload(): void
  /** Puts an engagement in place that an answer brought. */
  engage(engagement: Schemas['Engagement']): void
}

const SessionContext = createContext<Session>(null!)
export const useSession = () => useContext(SessionContext)

/** Follows the player's own topics as long as somebody is signed in. */
export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [player, setPlayer] = useState(client.player)
  const [up, setUp] = useState<boolean | null>(null)
  const [stopped, setStopped] = useState<Session['stopped']>([])
  const [engagement, setEngagement] = useState<Session['engagement']>(null)
  const [unread, setUnread] = useState(0)
  const [keptOut, setKeptOut] = useState<Problem | null>(null)
  const [turn, setTurn] = useState(0)
  const language = useLanguage()

  useEffect(() => client.onPlayer(setPlayer), [])

  // What this device knows of its player may be of last week.
  useEffect(() => {
    setKeptOut(null)
    if (!player) return
    let gone = false
    ask(api.GET('/v1/me')).then(
      (me) => gone || setPlayer(me),
      (err: unknown) => {
        const problem = asProblem(err)
        if (!gone && problem.code === 'suspended') setKeptOut(problem)
      },
    )
    return () => {
      gone = true
    }
  }, [player?.id, turn, up])

  // Mails and notices are in the language that was chosen last, wherever that was.
  const spoken = useRef(language)
  useEffect(() => {
    if (spoken.current === language) return
    spoken.current = language
    if (player && player.language !== language) ask(api.PATCH('/v1/me', { body: { language } })).then(setPlayer, () => undefined)
  }, [language])

  // The server may come and go while the page is open.
  useEffect(() => {
    const look = () => void ask(api.GET('/v1/status')).then(
      (status) => {
        setUp(true)
        setStopped(status.stopped)
      },
      () => setUp(false),
    )
    look()
    const names = ['online', 'offline', 'focus'] as const
    for (const name of names) addEventListener(name, look)
    const stop = client.stream.onLink((live) => (live ? setUp(true) : look()))
    return () => {
      for (const name of names) removeEventListener(name, look)
      stop()
    }
  }, [])

  const newer = (next: Schemas['Engagement']) => setEngagement((now) => (now && now.seq > next.seq ? now : next))
  useEffect(() => {
    setEngagement(null)
    setUnread(0)
    if (!player) return
    let seen = { engagement: 0, notices: 0 }
    const stops = [
      client.stream.follow('engagement', {
        seq: () => seen.engagement,
        frame: (frame) => {
          seen.engagement = frame.seq
          newer(frame.engagement)
        },
      }),
      client.stream.follow('notices', {
        seq: () => seen.notices,
        frame: (frame) => {
          seen.notices = frame.seq
          if (frame.unread !== undefined) setUnread(frame.unread)
        },
      }),
    ]
    return () => stops.forEach((stop) => stop())
  }, [player?.id])

  const session = useMemo<Session>(
    () => ({
      player, up, engagement, unread, stopped, keptOut,
      enter: (name) => client.guest({ language, deviceName: deviceName(), ...(name && { name }) }), update: setPlayer, reload: () => setTurn((n) => n + 1), engage: newer,
    }),
    [player, up, engagement, unread, stopped, keptOut, language],
  )
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>
}

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Session } from './api/types'

export interface Signed {
  session: Session
  /** Whether the role allows it, such as `players.ban`. The server decides anew at each request. */
  may: (permission: string) => boolean
  /** Reads the session anew, for what a change of one's own has changed. */
  refresh: () => Promise<void>
  signOut: () => Promise<void>
}

export const SessionContext = createContext<Signed | null>(null)

/** Who is signed in; only inside the panel's pages. */
export function useSession(): Signed {
  const signed = useContext(SessionContext)
  if (!signed) throw new Error('nobody is signed in here')
  return signed
}
export const useMay = () => useSession().may

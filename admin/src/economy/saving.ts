import { asProblem, type Problem } from '@cuatrola/ui'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'

export type Draft = Schemas['EconomyDraft']
type Change = Omit<Schemas['EconomySave'], 'revision'>

// Each save is a line of the audit.
const pause = 1200

export interface Saving {
  /** The draft as the server last had it, without what is still to be saved. */
  draft: Draft
  state: 'saved' | 'unsaved' | 'saving' | 'failed'
  problem: Problem | null
  /** Saves what is left to save, and answers whether nothing is left. */
  flush: () => Promise<boolean>
  /** Changes more than the document. */
  change: (change: Change) => Promise<Draft>
  /** Takes what another has saved as the state that one's own follows. */
  accept: (draft: Draft) => void
}

/**
 * Saves a draft while it is worked on: a moment after the last change, when it is left, and before it is published. Each
 * save names the state that it follows, so that what another has saved meanwhile is not lost: then nothing is saved any
 * more until one has decided.
 */
export function useSaving(loaded: Draft, text: string, may: boolean): Saving {
  const [draft, setDraft] = useState(loaded)
  const [state, setState] = useState<Saving['state']>('saved')
  const [problem, setProblem] = useState<Problem | null>(null)
  const kept = useRef({ text: loaded.document ?? '', revision: loaded.revision, failed: false })
  const wanted = useRef(text)
  wanted.current = text
  // One after the other: each follows the revision of the one before.
  const turn = useRef<Promise<unknown>>(Promise.resolve())

  const send = useCallback((change: () => Change | null): Promise<Draft | null> => {
    const run = async () => {
      const now = change()
      if (!now) return null
      const saved = await ask(api.PATCH('/admin/v1/economy/drafts/{draftId}', {
        params: { path: { draftId: loaded.id } }, body: { revision: kept.current.revision, ...now },
      }))
      kept.current.revision = saved.revision
      if (now.document !== undefined) kept.current.text = now.document
      setDraft({ ...saved, document: kept.current.text })
      return saved
    }
    const next = turn.current.then(run, run)
    turn.current = next.catch(() => undefined)
    return next
  }, [])

  const flush = useCallback(async (): Promise<boolean> => {
    try {
      setState('saving')
      await send(() => (wanted.current === kept.current.text ? null : { document: wanted.current }))
      kept.current.failed = false
      setProblem(null)
      setState(wanted.current === kept.current.text ? 'saved' : 'unsaved')
      return true
    } catch (err) {
      kept.current.failed = true
      setProblem(asProblem(err))
      setState('failed')
      return false
    }
  }, [])

  useEffect(() => {
    if (!may || text === kept.current.text) {
      if (!kept.current.failed) setState('saved')
      return
    }
    if (kept.current.failed) return
    setState('unsaved')
    const timer = setTimeout(() => void flush(), pause)
    return () => clearTimeout(timer)
  }, [text, draft, may])

  // Left for another page of the panel it is saved; the browser asks before it leaves the panel.
  useEffect(() => () => {
    if (may && !kept.current.failed && wanted.current !== kept.current.text) void flush()
  }, [])
  useEffect(() => {
    if (state === 'saved' || !may) return
    const ask = (e: BeforeUnloadEvent) => e.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [state, may])

  return {
    draft, state, problem, flush,
    change: useCallback(async (change: Change) => (await send(() => change))!, []),
    accept: useCallback((theirs: Draft) => {
      kept.current = { text: theirs.document ?? '', revision: theirs.revision, failed: false }
      setProblem(null)
      setDraft(theirs)
      setState('saved')
    }, []),
  }
}

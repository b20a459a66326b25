import { CircleAlert, CircleCheck, X } from 'lucide'
import { createContext, type ComponentChildren } from 'preact'
import { useCallback, useContext, useMemo, useRef, useState } from 'preact/hooks'
import { useTexts } from './i18n'
import { Icon } from './icon'
import { texts } from './texts'

interface Said {
  id: number
  text: string
  bad: boolean
}

const stays = 6000

const ToastContext = createContext<{ good: (text: string) => void; bad: (text: string) => void }>({ good: () => {}, bad: () => {} })

/** Says shortly that something was done; read aloud, and gone after a few seconds. */
export const useToast = () => useContext(ToastContext)

export function Toasts({ children }: { children: ComponentChildren }) {
  const t = useTexts(texts)
  const [said, setSaid] = useState<Said[]>([])
  const next = useRef(0)
  const drop = useCallback((id: number) => setSaid((all) => all.filter((s) => s.id !== id)), [])
  const say = useCallback((text: string, bad: boolean) => {
    const id = next.current++
    setSaid((all) => [...all.slice(-2), { id, text, bad }])
    setTimeout(() => drop(id), bad ? 2 * stays : stays)
  }, [])
  const value = useMemo(() => ({ good: (text: string) => say(text, false), bad: (text: string) => say(text, true) }), [])
  return (
    <ToastContext.Provider value={value}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {said.map((s) => (
          <div key={s.id} class={s.bad ? 'toast bad' : 'toast'}>
            <Icon of={s.bad ? CircleAlert : CircleCheck} />
            <span>{s.text}</span>
            <button type="button" class="button quiet small bare" aria-label={t('close')} onClick={() => drop(s.id)}><Icon of={X} size={15} /></button>
          </div>
        ))}
      </div>
    </ToastContext.Provider>
  )
}

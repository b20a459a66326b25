import { CircleAlert, CircleCheck, Info, RefreshCw, TriangleAlert, type IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import { explain, type Problem } from './problem'
import { useLanguage, useTexts } from './i18n'
import { Button } from './button'
import { Icon } from './icon'
import { texts } from './texts'

export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'info'

/** One or two words about a thing's state. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

const pictures: Record<Tone, IconNode> = { neutral: Info, info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

/** A few lines that stand out of the page. */
export function Note({ tone = 'info', title, children, action }: { tone?: Tone; title?: string; children?: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class={`note ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon of={pictures[tone]} />
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {action}
    </div>
  )
}

/** What could not be done, what to do, and the number by which the server's log has it. */
export function ProblemNote({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const t = useTexts(texts)
  const language = useLanguage()
  return (
    <div class="note bad" role="alert" data-problem={problem.code}>
      <Icon of={CircleAlert} />
      <div>
        <div>{explain(language, problem)}</div>
        {problem.requestId && problem.status >= 500 && <small class="soft">{t('request', { id: problem.requestId })}</small>}
      </div>
      {retry && <Button small icon={RefreshCw} onClick={retry}>{t('retry')}</Button>}
    </div>
  )
}

/** In place of a list that has nothing: what would be here, and what one can do. */
export function Empty({ icon, title, children, action }: { icon?: IconNode; title?: string; children?: ComponentChildren; action?: ComponentChildren }) {
  const t = useTexts(texts)
  return (
    <div class="empty">
      {icon && <Icon of={icon} size={28} />}
      <strong>{title ?? t('nothing')}</strong>
      {children && <div class="soft">{children}</div>}
      {action}
    </div>
  )
}

/** Where something will be. */
export function Skeleton({ lines = 3, tall = false }: { lines?: number; tall?: boolean }) {
  const t = useTexts(texts)
  return (
    <div class={tall ? 'skeleton tall' : 'skeleton'} role="status">
      <span class="hidden">{t('loading')}</span>
      {Array.from({ length: lines }, (_, i) => <i key={i} aria-hidden="true" />)}
    </div>
  )
}

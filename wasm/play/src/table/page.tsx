import { asProblem, Page, ProblemNote, Skeleton, type Problem } from '@cuatrola/ui'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import type { Table } from '../game/types'
import { SettingsDialog } from '../shell/settings'
import { TableScreen } from './screen'

/** Opens a table and shows it until one leaves. */
export function TablePage({ open, onOver, onAgain }: {
  open(): Promise<Table>
  /** One leaves a table whose match is over. */
  onOver?(): void
  onAgain(table: Table): void
}) {
  const { route } = useLocation()
  const [table, setTable] = useState<Table | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [settings, setSettings] = useState(false)

  useEffect(() => {
    let gone = false
    let opened: Table | null = null
    open().then(
      (found) => {
        if (gone) found.close()
        else setTable((opened = found))
      },
      (err: unknown) => gone || setProblem(asProblem(err)),
    )
    return () => {
      gone = true
      opened?.close()
    }
  }, [])

  if (problem) return <main id="content" class="alone"><Page title="Cuatrola" back={{ href: '/', label: 'Cuatrola' }}><ProblemNote problem={problem} retry={() => location.reload()} /></Page></main>
  if (!table) return <main id="content" aria-busy="true"><Skeleton lines={2} /></main>
  return (
    <>
      <TableScreen
        table={table} onAgain={() => onAgain(table)} onSettings={() => setSettings(true)}
        onHome={() => {
          if (table.state.view.phase === 'over') onOver?.()
          route('/')
        }}
      />
      {settings && <SettingsDialog onClose={() => setSettings(false)} />}
    </>
  )
}

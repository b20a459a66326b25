import {
  Badge, Button, Coins, CopyButton, Loading, Menu, type MenuItem, Note, Page, Stat, Stats, Tabs, Time, useFormat, useLoad,
  useQuery, useTexts,
} from '@cuatrola/ui'
import {
  CircleMinus, CirclePlus, DoorOpen, Download, KeyRound, LogOut, MessageSquareWarning, PencilLine, ShieldBan, Trash2, Undo2,
} from 'lucide'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { useMay } from '../session'
import { ActionDialog, type Doing } from './actions'
import { Badges } from './person'
import { Matches, Notes, Notices, Orders, Overview, Reports, Sanctions, Sessions, Statement } from './tabs'
import { texts } from './texts'

type File = Schemas['PanelPlayerFile']

export default function PlayerPage() {
  const t = useTexts(texts)
  const id = useRoute().params['id']!
  const file = useLoad((signal) => ask(api.GET('/admin/v1/players/{playerId}', { params: { path: { playerId: id } }, signal })), [id])
  const name = file.data?.player.name
  return file.data ? <Opened file={file.data} reload={file.reload} /> : (
    <Page title={name ?? t('player')} back={{ href: '/admin/players', label: t('title') }}><Loading of={file} tall>{() => null}</Loading></Page>
  )
}

const tabs = ['overview', 'statement', 'matches', 'orders', 'reports', 'sanctions', 'notes', 'notices', 'sessions'] as const
type TabId = (typeof tabs)[number]

function Opened({ file, reload }: { file: File; reload: () => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const may = useMay()
  const [chosen, setTab] = useQuery('tab', 'overview')
  const [doing, setDoing] = useState<Doing | null>(null)
  const [version, setVersion] = useState(0)
  const { player } = file
  const here = !player.deletedAt
  const shown = tabs.filter((tab) => tab !== 'reports' || may('reports.read'))
  const tab = (shown as readonly string[]).includes(chosen) ? (chosen as TabId) : 'overview'
  const does = (what: Exclude<Doing['what'], 'unlink' | 'end_session'>) => () => setDoing({ what })
  const done = () => {
    setVersion((n) => n + 1)
    reload()
  }

  const items: MenuItem[] = here ? [
    ...(may('players.grant') ? [{ label: t('take'), icon: CircleMinus, onSelect: does('take') }] : []),
    ...(may('players.sanction') ? [{ label: t('warn'), icon: MessageSquareWarning, onSelect: does('warn') }] : []),
    ...(may('players.rename') ? [{ label: t('rename'), icon: PencilLine, onSelect: does('rename') }] : []),
    ...(may('players.reset') ? [
      ...(file.identities.some((i) => i.provider === 'email') ? [{ label: t('reset'), icon: KeyRound, onSelect: does('reset') }] : []),
      { label: t('sign_out'), icon: LogOut, onSelect: does('sign_out') },
    ] : []),
    ...(may('players.export') ? [{ label: t('export'), icon: Download, onSelect: does('export') }] : []),
    ...(may('players.delete') ? [file.deletion
      ? { label: t('restore'), icon: Undo2, onSelect: does('restore') }
      : { label: t('delete'), icon: Trash2, danger: true, onSelect: does('delete') }] : []),
  ] : []

  const label = (id: TabId) => (id === 'reports' && file.openReports > 0 ? <>{t('tab_reports')} <Badge tone="warn">{f.number(file.openReports)}</Badge></> : t(`tab_${id}`))
  const part = { id: player.id, version, t }
  return (
    <Page
      title={player.name} back={{ href: '/admin/players', label: t('title') }} badge={<Badges of={player} />}
      lead={<span class="file-id"><code>{player.id}</code><CopyButton text={player.id} label={t('copy_id')} /></span>}
      actions={here && (
        <>
          {may('players.grant') && <Button kind="strong" icon={CirclePlus} data-action="give" onClick={does('give')}>{t('give')}</Button>}
          {may('players.sanction') && (file.sanction
            ? <Button icon={DoorOpen} data-action="lift" onClick={does('lift')}>{t('lift')}</Button>
            : <Button icon={ShieldBan} data-action="suspend" onClick={does('suspend')}>{t('suspend')}</Button>)}
          <Menu label={t('actions_of', { name: player.name })} items={items} small={false} />
        </>
      )}
    >
      {player.mergedInto && (
        <Note tone="neutral" title={t('merged')}>{t('merged_into')} <a href={`/admin/players/${player.mergedInto}`}>{t('open_account')}</a></Note>
      )}
      {file.sanction && (
        <Note tone="bad" title={t(`word_${file.sanction.word}`)}>
          <span data-raw>{file.sanction.reason}</span>{' '}
          <small class="soft">{file.sanction.author} · <Time value={file.sanction.since} /></small>
        </Note>
      )}
      {file.deletion && <Note tone="warn">{t('leaving', { when: f.dateTime(file.deletion.deletesAt) })}</Note>}
      <Stats>
        <Stat label={t('coins')} value={<Coins value={file.coins} />} {...(file.debt > 0 ? { hint: <span class="loss">{t('owes', { coins: f.number(file.debt) })}</span> } : {})} />
        <Stat label={t('level')} value={f.number(file.level)} hint={t('points', { n: f.number(file.experience) })} />
        <Stat label={t('open_reports')} value={f.number(file.openReports)} {...(may('reports.read') && file.openReports > 0 ? { href: `/admin/reports/${player.id}` } : {})} />
        <Stat label={t('seen')} value={player.seenAt ? <Time value={player.seenAt} relative /> : '—'} hint={t(`place_${file.place}`)} />
      </Stats>
      <Tabs label={player.name} current={tab} onChange={setTab} tabs={shown.map((id) => ({ id, label: label(id) }))}>
        {tab === 'overview' && <Overview {...part} file={file} {...(here && may('players.reset') ? { onUnlink: (provider) => setDoing({ what: 'unlink', provider }) } : {})} />}
        {tab === 'statement' && <Statement {...part} owes={file.debt > 0} />}
        {tab === 'matches' && <Matches {...part} />}
        {tab === 'orders' && <Orders {...part} />}
        {tab === 'reports' && <Reports {...part} />}
        {tab === 'sanctions' && <Sanctions {...part} />}
        {tab === 'notes' && <Notes {...part} writes={here && may('players.note')} />}
        {tab === 'notices' && <Notices {...part} />}
        {tab === 'sessions' && <Sessions {...part} {...(may('players.reset') ? { onEnd: (sessionId) => setDoing({ what: 'end_session', sessionId }) } : {})} />}
      </Tabs>
      {doing && <ActionDialog t={t} file={file} doing={doing} onClose={() => setDoing(null)} onDone={done} />}
    </Page>
  )
}


import {
  Badge, Button, ButtonLink, ChoiceField, ConfirmDialog, Empty, Facts, Loading, Page, ProblemNote, ReasonDialog, Section,
  SelectField, TextArea, Time, type Translate, useAction, useFormat, useLoad, useTexts, useToast,
} from '@cuatrola/ui'
import { Gavel, Hand, UserRound } from 'lucide'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Schemas } from '../api/types'
import { Name } from '../players/person'
import { useSession } from '../session'
import { Reasons } from './parts'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>
type Report = Schemas['PanelReport']
type Answer = Schemas['PanelAnswer']['answer']
type About = Schemas['PanelWarning']['about']

const answers: readonly Answer[] = ['dismissed', 'warned', 'sanctioned']
const abouts: readonly About[] = ['words', 'fairness', 'name', 'stalling', 'rules']
/** What a warning is about if it comes of reports for that reason. */
const usual: Record<Report['reason'], About> = { cheating: 'fairness', harassment: 'words', name: 'name', stalling: 'stalling', other: 'rules' }

export default function CasePage() {
  const t = useTexts(texts)
  const id = useRoute().params['id']!
  const toast = useToast()
  const { session, may } = useSession()
  const file = useLoad((signal) => ask(api.GET('/admin/v1/reports/{playerId}', { params: { path: { playerId: id } }, signal })), [id])
  const [doing, setDoing] = useState<'answer' | 'take' | null>(null)
  const params = { path: { playerId: id } }
  const claim = async (take: boolean) => {
    await ask(api.POST('/admin/v1/reports/{playerId}/claim', { params, body: { take } }))
    toast.good(t('toast_claimed'))
    file.reload()
  }
  const hand = useAction(async (what: 'claim' | 'release') => {
    if (what === 'claim') return claim(false)
    await ask(api.POST('/admin/v1/reports/{playerId}/release', { params }))
    toast.good(t('toast_released'))
    file.reload()
  })

  const open = file.data?.reports.filter((r) => r.open) ?? []
  const answered = file.data?.reports.filter((r) => !r.open) ?? []
  const one = file.data?.case
  const mine = one?.claimedBy?.id === session.member.id
  const others = one?.claimedBy !== undefined && !mine
  const name = one?.reported.name ?? file.data?.reports[0]?.reported.name ?? t('title')
  return (
    <Page
      title={name} back={{ href: '/admin/reports', label: t('title') }}
      actions={
        <>
          {may('players.read') && <ButtonLink href={`/admin/players/${id}`} icon={UserRound} data-action="file">{t('file')}</ButtonLink>}
          {one && may('reports.answer') && (
            <>
              {others ? <Button icon={Hand} data-action="take" onClick={() => setDoing('take')}>{t('take')}</Button>
                : <Button icon={Hand} busy={hand.busy} data-action={mine ? 'release' : 'claim'} onClick={() => void hand.run(mine ? 'release' : 'claim')}>{t(mine ? 'release' : 'claim')}</Button>}
              {!others && <Button kind="strong" icon={Gavel} data-action="answer" onClick={() => setDoing('answer')}>{t('answer')}</Button>}
            </>
          )}
        </>
      }
    >
      {hand.problem && <ProblemNote problem={hand.problem} />}
      <Loading of={file} lines={6}>
        {() => (
          <>
            {one && (
              <Section>
                <Facts
                  of={[
                    [t('reasons'), <Reasons of={one} />],
                    [t('reporters'), t.plural('n_people', one.reporters)],
                    [t('waits'), <Time value={one.firstAt} relative />],
                    [t('last'), <Time value={one.lastAt} relative />],
                    [t('in_hand'), one.claimedBy ? <span data-raw>{mine ? t('you') : one.claimedBy.name}</span> : t('nobody')],
                  ]}
                />
              </Section>
            )}
            <Section title={t('waiting')}>{open.length === 0 ? <Empty title={t('case_none')} /> : <Reports t={t} of={open} />}</Section>
            <Section title={t('answered')}>{answered.length === 0 ? <p class="soft">{t('answered_none')}</p> : <Reports t={t} of={answered} />}</Section>
          </>
        )}
      </Loading>
      {doing === 'take' && one?.claimedBy && (
        <ConfirmDialog
          title={t('take_title', { name: one.claimedBy.name })} text={t('take_text')} action={t('take')} onClose={() => setDoing(null)} onConfirm={() => claim(true)}
        />
      )}
      {doing === 'answer' && (
        <AnswerDialog
          t={t} playerId={id} name={name} open={open} onClose={() => setDoing(null)}
          onDone={() => {
            toast.good(t('toast_answered'))
            file.reload()
          }}
        />
      )}
    </Page>
  )
}

function Reports({ t, of }: { t: T; of: readonly Report[] }) {
  const f = useFormat()
  const { may } = useSession()
  return (
    <ul class="evidence">
      {of.map((r) => (
        <li key={r.id} data-report={r.id}>
          <header>
            <Badge tone={r.open ? 'warn' : 'neutral'}>{t(`reason_${r.reason}`)}</Badge>
            {may('players.read') ? <a href={`/admin/players/${r.reporter.id}`}><Name of={r.reporter} /></a> : <Name of={r.reporter} />}
            <span class="soft"><Time value={r.createdAt} relative /></span>
            {r.matchId && may('tables.read') && <a href={`/admin/tables/${r.matchId}`}>{t('the_match')}</a>}
          </header>
          {r.text ? <blockquote data-raw>{r.text}</blockquote> : <p class="soft">{t('no_text')}</p>}
          {!r.open && (
            <p>
              <Badge>{r.answer ? t(`answer_${r.answer}`) : t('closed')}</Badge> {r.note && <span data-raw>{r.note}</span>}{' '}
              {r.answeredBy && r.answeredAt && <small class="soft" data-raw>{t('answered_by', { name: r.answeredBy, when: f.dateTime(r.answeredAt) })}</small>}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

function AnswerDialog({ t, playerId, name, open, onClose, onDone }: {
  t: T
  playerId: string
  name: string
  /** Those that are answered: what came since waits on. */
  open: readonly Report[]
  onClose: () => void
  onDone: () => void
}) {
  const [seen] = useState(open)
  const [answer, setAnswer] = useState<Answer>('dismissed')
  const [about, setAbout] = useState<About>(usual[open[0]?.reason ?? 'other'])
  const [text, setText] = useState('')
  return (
    <ReasonDialog
      title={t('answer_title', { name })} text={t.plural('answer_text', seen.length)} action={t('answer_action')} onClose={onClose} wide
      onConfirm={async (note) => {
        const warning = answer === 'warned' ? { warning: { about, ...(text.trim() ? { text: text.trim() } : {}) } } : {}
        await ask(api.POST('/admin/v1/reports/{playerId}/answer', {
          params: { path: { playerId } }, body: { reports: seen.map((r) => r.id), answer, note, ...warning },
        }))
        onDone()
      }}
    >
      <ChoiceField label={t('what_came')} name="answer" value={answer} onChange={setAnswer} options={answers.map((value) => ({ value, label: t(`answer_${value}`), help: t(`help_${value}`) }))} />
      {answer === 'warned' && (
        <>
          <SelectField label={t('warn_about')} name="about" value={about} onChange={setAbout} options={abouts.map((value) => ({ value, label: t(`about_${value}`) }))} />
          <TextArea label={t('own_words')} name="text" rows={2} value={text} onChange={setText} hint={t('own_words_help')} area={{ maxLength: 500 }} />
        </>
      )}
    </ReasonDialog>
  )
}

import { ask } from '@cuatrola/client'
import { Badge, Button, Dialog, FormDialog, Loading, Section, TextField, useFormat, useLoad, useTexts, useToast } from '@cuatrola/ui'
import { PencilLine } from 'lucide'
import { useState } from 'preact/hooks'
import { Face } from '../cards/face'
import { api, type Schemas } from '../game/client'
import { useT, type Key } from '../i18n'
import { useSession } from '../session'
import { texts } from './texts'

type Player = Schemas['Player']

/** Name, card and level; the first two can be changed. */
export function Profile({ player }: { player: Player }) {
  const t = useTexts(texts)
  const f = useFormat()
  const [open, setOpen] = useState<'name' | 'avatar' | null>(null)
  return (
    <Section>
      <div class="me">
        <button type="button" class="me-card" data-action="avatar" title={t('avatar_choose')} aria-label={t('avatar_choose')} onClick={() => setOpen('avatar')}>
          <span class="card"><Face card={player.avatar} /></span>
        </button>
        <div>
          <h2 data-name={player.name}>{player.name} {player.guest && <Badge>{t('guest')}</Badge>}</h2>
          <p class="soft">{t('since', { when: f.date(player.createdAt) })}</p>
          <div class="row">
            <Button small icon={PencilLine} data-action="rename" onClick={() => setOpen('name')}>{t('rename')}</Button>
            <a href={`/players/${player.id}`}>{t('public')}</a>
          </div>
        </div>
      </div>
      {open === 'name' && <Rename player={player} onClose={() => setOpen(null)} />}
      {open === 'avatar' && <ChooseCard player={player} onClose={() => setOpen(null)} />}
    </Section>
  )
}

function Rename({ player, onClose }: { player: Player; onClose(): void }) {
  const t = useTexts(texts)
  const f = useFormat()
  const { update } = useSession()
  const [name, setName] = useState(player.name)
  const fixed = player.renameableAt !== null && Date.parse(player.renameableAt) > Date.now()
  return (
    <FormDialog
      title={t('rename')} action={t('save')} onClose={onClose} check={() => name.trim() !== ''}
      onSubmit={async () => update(await ask(api.PATCH('/v1/me', { body: { name: name.trim() } })))}
    >
      <TextField
        label={t('name')} name="name" value={name} onChange={setName} required input={{ maxLength: 24, autocomplete: 'nickname' }}
        hint={fixed ? t('name_until', { when: f.date(player.renameableAt!) }) : t('name_hint')}
      />
    </FormDialog>
  )
}

const cards = [...'OCEB'].flatMap((suit) => [...'A3RCS'].map((rank) => rank + suit))

/** One of the twenty cards, to be one's picture. */
function ChooseCard({ player, onClose }: { player: Player; onClose(): void }) {
  const t = useTexts(texts)
  const game = useT()
  const toast = useToast()
  const { update } = useSession()
  return (
    <Dialog title={t('avatar')} onClose={onClose}>
      <div class="choose-card">
        {cards.map((card) => (
          <button
            key={card} type="button" aria-label={game.card(card)} aria-pressed={card === player.avatar} data-card={card}
            onClick={() => {
              ask(api.PATCH('/v1/me', { body: { avatar: card } })).then(update, (err: unknown) => toast.bad(String(err)))
              onClose()
            }}
          >
            <span class="card"><Face card={card} /></span>
          </button>
        ))}
      </div>
    </Dialog>
  )
}

/** What one has played, by rules. */
export function Statistics({ player }: { player: Player }) {
  const t = useTexts(texts)
  const f = useFormat()
  const game = useT()
  const profile = useLoad((signal) => ask(api.GET('/v1/players/{playerId}', { params: { path: { playerId: player.id } }, signal })), [player.id])
  return (
    <Section title={t('statistics')}>
      <Loading of={profile} lines={2}>
        {({ level, statistics }) => (
          <div class="stack">
            <p><Badge tone="good">{t('level_of', { n: level })}</Badge></p>
            {statistics.length === 0 ? <p class="soft">{t('statistics_none')}</p> : statistics.map((one) => (
              <dl class="numbers" key={one.rules}>
                <div><dt class="soft">{one.rules === 'house' ? t('rules_house') : game(('preset_' + one.rules) as Key)}</dt><dd><b>{f.number(one.played)}</b> {t('played').toLowerCase()}</dd></div>
                <div><dt class="soft">{t('won')}</dt><dd><b>{f.percent(one.won / one.played, 0)}</b></dd></div>
                <div><dt class="soft">{t('hands_won')}</dt><dd><b>{f.percent(one.handsWon / Math.max(1, one.hands), 0)}</b></dd></div>
                <div><dt class="soft">{t('bids_made')}</dt><dd><b>{f.number(one.bidsMade)}</b> / {f.number(one.bidsMade + one.bidsLost)}</dd></div>
              </dl>
            ))}
          </div>
        )}
      </Loading>
    </Section>
  )
}

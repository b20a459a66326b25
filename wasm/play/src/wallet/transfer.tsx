import { ask } from '@cuatrola/client'
import { Button, ButtonLink, Coins, Dialog, Facts, Loading, useFormat, useLanguage, useLoad, useTexts, type Format, type Translate } from '@cuatrola/ui'
import { api, type Schemas } from '../game/client'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>
type Transfer = Schemas['Transfer']

/** What a transfer may say of itself, by its kind. */
interface Details {
  match?: string
  base?: number
  steps?: readonly { what: string; percent?: number; coins: number }[] | null
  coins?: number
  experience?: number
  leaguePoints?: number
  vipGift?: number
  order?: string
  owed?: number
  season?: string
}

/** One line of the statement, with all that explains it. */
export function TransferDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTexts(texts)
  const language = useLanguage()
  const load = useLoad((signal) => ask(api.GET('/v1/wallet/transfers/{transferId}', { params: { path: { transferId: id } }, signal })), [id])
  const details = (load.data?.details ?? {}) as Details
  return (
    <Dialog
      title={load.data?.text[language] ?? t('transfer')} onClose={onClose}
      footer={
        <>
          {details.match && <ButtonLink href={`/history/${details.match}`}>{t('to_match')}</ButtonLink>}
          {details.order && <ButtonLink href={`/shop/orders/${details.order}`}>{t('to_order')}</ButtonLink>}
          {details.season && <ButtonLink href={`/league/weeks/${details.season}`}>{t('to_week')}</ButtonLink>}
          <Button kind="strong" data-action="close" onClick={onClose}>{t('close')}</Button>
        </>
      }
    >
      <Loading of={load} lines={4}>{(transfer) => <Explained transfer={transfer} details={details} />}</Loading>
    </Dialog>
  )
}

function Explained({ transfer, details }: { transfer: Transfer; details: Details }) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <>
      <p class="transfer-amount"><Coins value={transfer.amount} signed /></p>
      {details.base !== undefined && (
        <table class="receipt">
          <caption class="hidden">{t('transfer_how')}</caption>
          <thead class="hidden"><tr><th scope="col">{t('transfer_step')}</th><th scope="col">{t('transfer_amount')}</th></tr></thead>
          <tbody>
            <tr><th scope="row">{t('transfer_base')}</th><td><Coins value={details.base} /></td></tr>
            {(details.steps ?? []).map((step, i) => <tr key={i}><th scope="row">{stepText(t, f, step)}</th><td><Coins value={step.coins} /></td></tr>)}
          </tbody>
          <tfoot><tr><th scope="row">{t('transfer_total')}</th><td><Coins value={details.coins ?? transfer.amount} /></td></tr></tfoot>
        </table>
      )}
      <Facts
        of={[
          [t('transfer_when'), f.dateTime(transfer.at)],
          [t('transfer_balance'), <Coins value={transfer.balance} />],
          details.experience ? [t('transfer_experience'), f.signed(details.experience)] : null,
          details.leaguePoints ? [t('transfer_league'), f.signed(details.leaguePoints)] : null,
          details.vipGift ? [t('transfer_gift'), <Coins value={details.vipGift} />] : null,
          details.owed ? [t('transfer_owed'), <Coins value={details.owed} />] : null,
        ]}
      />
      <p class="soft small" data-raw>{t('transfer_number')}: {transfer.id}</p>
    </>
  )
}

/** A multiplier or a limit. One that this page does not know is called what the server calls it. */
function stepText(t: T, f: Format, { what, percent = 100 }: { what: string; percent?: number }): string {
  const key = `step_${what}`
  return t.has(key) ? t(key, { percent: f.percent(percent / 100, 0), times: f.number(percent / 100) }) : what
}

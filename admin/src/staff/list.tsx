import {
  Badge, Button, ChoiceField, Code, Dialog, Empty, Loading, Menu, type MenuItem, Page, ReasonDialog, Section, stay, Table,
  TextField, Time, type Tone, type Translate, useFormat, useLoad, useTexts, useToast,
} from '@cuatrola/ui'
import { KeyRound, LogOut, MailPlus, MonitorSmartphone, ShieldBan, ShieldCheck, UserCog, Undo2 } from 'lucide'
import { useState } from 'preact/hooks'
import { api, ask } from '../api/client'
import type { Member, Role, Schemas } from '../api/types'
import { useSession } from '../session'
import { Sessions } from './sessions'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>
type Link = Schemas['StaffLink']
type NewLink = Schemas['StaffNewLink']

const roles: readonly Role[] = ['owner', 'economist', 'support', 'viewer']
const tones: Record<Role, Tone> = { owner: 'warn', economist: 'info', support: 'good', viewer: 'neutral' }

/** What is being done. */
type Doing =
  | { what: 'invite' }
  | { what: 'link'; link: NewLink }
  | { what: 'role' | 'disable' | 'enable' | 'reset' | 'sessions' | 'end'; member: Member }
  | { what: 'take-back'; link: Link }

export default function StaffPage() {
  const t = useTexts(texts)
  const { session, may, refresh } = useSession()
  const toast = useToast()
  const list = useLoad((signal) => ask(api.GET('/admin/v1/staff', { signal })), [])
  const [doing, setDoing] = useState<Doing | null>(null)
  const stop = () => setDoing(null)
  const manage = may('staff.manage')

  const changed = (member: Member) => {
    toast.good(t('toast_changed', { name: member.name }))
    list.reload()
    if (member.id === session.member.id) void refresh()
  }
  const actions = (member: Member): MenuItem[] => [
    { label: t('sessions'), icon: MonitorSmartphone, onSelect: () => setDoing({ what: 'sessions', member }) },
    ...(manage ? [
      { label: t('change_role'), icon: UserCog, onSelect: () => setDoing({ what: 'role', member }) },
      { label: t('reset'), icon: KeyRound, onSelect: () => setDoing({ what: 'reset', member }) },
      { label: t('sessions_end'), icon: LogOut, onSelect: () => setDoing({ what: 'end', member }) },
      member.disabled
        ? { label: t('enable'), icon: ShieldCheck, onSelect: () => setDoing({ what: 'enable', member }) }
        : { label: t('disable'), icon: ShieldBan, danger: true, onSelect: () => setDoing({ what: 'disable', member }) },
    ] : []),
  ]

  return (
    <Page
      title={t('title')} lead={t('lead')}
      actions={manage && <Button kind="strong" icon={MailPlus} data-action="invite" onClick={() => setDoing({ what: 'invite' })}>{t('invite')}</Button>}
    >
      <Loading of={list} lines={6}>
        {(data) => (
          <>
            <Section title={t('members')} flush>
              <Table
                caption={t('members')} rows={data.members} rowKey={(m) => m.id}
                columns={[
                  {
                    id: 'name', title: t('member'),
                    cell: (m) => (
                      <span class="two-lines" data-raw>
                        {m.name}{m.id === session.member.id && <> <Badge>{t('you')}</Badge></>}
                        <small>{m.email}</small>
                      </span>
                    ),
                  },
                  { id: 'role', title: t('role'), cell: (m) => <Badge tone={tones[m.role]}>{t(`role_${m.role}`)}</Badge> },
                  { id: 'state', title: t('state'), cell: (m) => <Badge tone={m.disabled ? 'bad' : 'good'}>{t(m.disabled ? 'state_out' : 'state_in')}</Badge> },
                  { id: 'last', title: t('last_in'), cell: (m) => (m.signedInAt ? <Time value={m.signedInAt} relative /> : <span class="soft">{t('never')}</span>) },
                  { id: 'since', title: t('since'), wideOnly: true, cell: (m) => <Time value={m.createdAt} /> },
                  { id: 'actions', title: t('actions_of', { name: '' }), quiet: true, cell: (m) => <Menu label={t('actions_of', { name: m.name })} items={actions(m)} /> },
                ]}
              />
            </Section>
            <Section title={t('invitations')} flush>
              {data.invitations.length === 0 ? <Empty icon={MailPlus} title={t('invitations_none')} /> : (
                <Table
                  caption={t('invitations')} rows={data.invitations} rowKey={(l) => l.id}
                  columns={[
                    { id: 'email', title: t('email'), cell: (l) => <span data-raw>{l.email || t('first_owner')}</span> },
                    { id: 'kind', title: t('for_what'), cell: (l) => t(`kind_${l.kind}`) },
                    { id: 'role', title: t('role'), cell: (l) => <Badge tone={tones[l.role]}>{t(`role_${l.role}`)}</Badge> },
                    { id: 'expires', title: t('expires'), cell: (l) => <Time value={l.expiresAt} relative /> },
                    ...(manage ? [{
                      id: 'actions', title: t('take_back'), quiet: true,
                      cell: (l: Link) => <Button small icon={Undo2} data-action="take-back" aria-label={t('take_back_of', { email: l.email })} onClick={() => setDoing({ what: 'take-back', link: l })} />,
                    }] : []),
                  ]}
                />
              )}
            </Section>
          </>
        )}
      </Loading>

      {doing?.what === 'invite' && (
        <InviteDialog
          t={t} onClose={stop}
          onDone={(link) => {
            list.reload()
            setDoing({ what: 'link', link })
          }}
        />
      )}
      {doing?.what === 'link' && <LinkDialog t={t} link={doing.link} onClose={stop} />}
      {doing?.what === 'role' && <RoleDialog t={t} member={doing.member} onClose={stop} onDone={changed} />}
      {(doing?.what === 'disable' || doing?.what === 'enable') && (
        <ReasonDialog
          title={t(`${doing.what}_of`, { name: doing.member.name })} text={t(`${doing.what}_text`)} action={t(doing.what)} danger={doing.what === 'disable'} onClose={stop}
          onConfirm={async (reason) => changed(await ask(api.PATCH('/admin/v1/staff/{memberId}', {
            params: { path: { memberId: doing.member.id } }, body: { disabled: doing.what === 'disable', reason },
          })))}
        />
      )}
      {doing?.what === 'reset' && (
        <ResetDialog
          t={t} member={doing.member} onClose={stop}
          onDone={(link) => {
            list.reload()
            setDoing({ what: 'link', link })
          }}
        />
      )}
      {doing?.what === 'end' && (
        <ReasonDialog
          title={t('sessions_end_of', { name: doing.member.name })} text={t('sessions_end_text')} action={t('sessions_end')} danger onClose={stop}
          onConfirm={async (reason) => {
            await ask(api.DELETE('/admin/v1/staff/{memberId}/sessions', { params: { path: { memberId: doing.member.id } }, body: { reason } }))
            toast.good(t('toast_signed_out', { name: doing.member.name }))
          }}
        />
      )}
      {doing?.what === 'sessions' && (
        <Dialog title={t('sessions_of', { name: doing.member.name })} wide onClose={stop}><Sessions memberId={doing.member.id} /></Dialog>
      )}
      {doing?.what === 'take-back' && (
        <ReasonDialog
          title={t('take_back_of', { email: doing.link.email || t('first_owner') })} text={t('take_back_text')} action={t('take_back')} danger onClose={stop}
          onConfirm={async (reason) => {
            await ask(api.DELETE('/admin/v1/staff-invitations/{linkId}', { params: { path: { linkId: doing.link.id } }, body: { reason } }))
            toast.good(t('toast_taken_back'))
            list.reload()
          }}
        />
      )}
    </Page>
  )
}

const roleOptions = (t: T) => roles.map((value) => ({ value, label: t(`role_${value}`), help: t(`help_${value}`) }))

function InviteDialog({ t, onClose, onDone }: { t: T; onClose: () => void; onDone: (link: NewLink) => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('support')
  const [tried, setTried] = useState(false)
  return (
    <ReasonDialog
      title={t('invite_title')} action={t('invite_action')} onClose={onClose}
      check={() => {
        setTried(true)
        return email.trim() !== ''
      }}
      onConfirm={async (reason) => {
        onDone(await ask(api.POST('/admin/v1/staff-invitations', { body: { email: email.trim(), role, reason } })))
        return stay
      }}
    >
      <TextField
        label={t('email')} name="email" type="email" required value={email} onChange={setEmail}
        error={tried && email.trim() === '' ? t('email_missing') : null} input={{ autocomplete: 'off', spellcheck: false }}
      />
      <ChoiceField label={t('role')} name="role" value={role} onChange={setRole} options={roleOptions(t)} />
    </ReasonDialog>
  )
}

function RoleDialog({ t, member, onClose, onDone }: { t: T; member: Member; onClose: () => void; onDone: (member: Member) => void }) {
  const [role, setRole] = useState(member.role)
  return (
    <ReasonDialog
      title={t('change_role_of', { name: member.name })} action={t('change')} onClose={onClose}
      onConfirm={async (reason) => onDone(await ask(api.PATCH('/admin/v1/staff/{memberId}', { params: { path: { memberId: member.id } }, body: { role, reason } })))}
    >
      <ChoiceField label={t('role')} name="role" value={role} onChange={setRole} options={roleOptions(t)} />
    </ReasonDialog>
  )
}

function ResetDialog({ t, member, onClose, onDone }: { t: T; member: Member; onClose: () => void; onDone: (link: NewLink) => void }) {
  return (
    <ReasonDialog
      title={t('reset_of', { name: member.name })} text={t('reset_text')} action={t('invite_action')} onClose={onClose}
      onConfirm={async (reason) => {
        onDone(await ask(api.POST('/admin/v1/staff/{memberId}/reset', { params: { path: { memberId: member.id } }, body: { reason } })))
        return stay
      }}
    />
  )
}

/** The link, this once. */
function LinkDialog({ t, link, onClose }: { t: T; link: NewLink; onClose: () => void }) {
  const f = useFormat()
  return (
    <Dialog
      title={t('link_title', { email: link.email })} onClose={onClose}
      footer={<Button kind="strong" onClick={onClose} data-action="done">{t('done')}</Button>}
    >
      <p>{t('link_help', { when: f.ago(link.expiresAt) })}</p>
      <Code text={link.url} label={t('link')} wrap />
    </Dialog>
  )
}

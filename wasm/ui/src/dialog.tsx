import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAction } from './hooks'
import { useTexts } from './i18n'
import { Button } from './button'
import { TextArea } from './fields'
import { ProblemNote } from './notes'
import { texts } from './texts'

/**
 * A window over the page, there as long as it is rendered. Escape and the cross call `onClose`; the focus goes into it and
 * back to where it was. With `keep`, it cannot be closed so.
 */
export function Dialog({ title, onClose, children, footer, wide = false, keep = false }: {
  title: string
  onClose: () => void
  children: ComponentChildren
  footer?: ComponentChildren
  wide?: boolean
  keep?: boolean
}) {
  const t = useTexts(texts)
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = element.current!
    const before = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      // The browser's own return fails if the page below was drawn anew.
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={id}
      onCancel={(e) => {
        // Closing is what the page then renders.
        e.preventDefault()
        if (!keep) onClose()
      }}
      onKeyDown={(e) => e.stopPropagation()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!keep && <Button kind="quiet" icon={X} aria-label={t('close')} onClick={onClose} />}
      </header>
      <div class="body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  )
}

/** What `onSubmit` and `onConfirm` answer if another window takes the place of this one. */
export const stay = Symbol('stay')

/** A form in a window: `onSubmit` does it, and the window closes unless it was refused. */
export function FormDialog({ title, action, danger = false, wide, onClose, onSubmit, check, children }: {
  title: string
  /** What the button says. */
  action: string
  danger?: boolean
  wide?: boolean
  onClose: () => void
  onSubmit: () => Promise<unknown>
  /** Whether all is filled in; shows what is not. */
  check?: () => boolean
  children: ComponentChildren
}) {
  const t = useTexts(texts)
  const id = useId()
  const { run, busy, problem } = useAction(async () => {
    // What is to come instead of closing is the caller's to show.
    if ((await onSubmit()) !== stay) onClose()
  })
  return (
    <Dialog
      title={title} onClose={onClose} wide={wide ?? false} keep={busy}
      footer={
        <>
          <Button onClick={onClose} aria-disabled={busy}>{t('cancel')}</Button>
          <Button kind={danger ? 'danger' : 'strong'} type="submit" form={id} busy={busy} data-action="confirm">{action}</Button>
        </>
      }
    >
      <form
        id={id} class="form" noValidate
        onSubmit={(e) => {
          e.preventDefault()
          if (check?.() ?? true) void run()
        }}
      >
        {children}
        {problem && <ProblemNote problem={problem} />}
      </form>
    </Dialog>
  )
}

/**
 * Asks for the reason of a change, which is required, and does it. Further fields are the children; `check` says whether
 * they are filled in.
 */
export function ReasonDialog({ title, action, text, danger, wide, onClose, onConfirm, check, children }: {
  title: string
  action: string
  /** What will happen. */
  text?: ComponentChildren
  danger?: boolean
  wide?: boolean
  onClose: () => void
  onConfirm: (reason: string) => Promise<unknown>
  check?: () => boolean
  children?: ComponentChildren
}) {
  const t = useTexts(texts)
  const [reason, setReason] = useState('')
  const [missing, setMissing] = useState(false)
  return (
    <FormDialog
      title={title} action={action} danger={danger ?? false} wide={wide ?? false} onClose={onClose}
      onSubmit={() => onConfirm(reason.trim())}
      check={() => {
        const there = reason.trim() !== ''
        setMissing(!there)
        return (check?.() ?? true) && there
      }}
    >
      {text && <p>{text}</p>}
      {children}
      <TextArea
        label={t('reason')} name="reason" rows={2} required value={reason} hint={t('reason_help')} area={{ maxLength: 500 }}
        error={missing && reason.trim() === '' ? t('reason_missing') : null} onChange={setReason}
      />
    </FormDialog>
  )
}

/** Asks whether to do something that is not a change of anybody's things. */
export function ConfirmDialog({ title, action, text, danger, onClose, onConfirm }: {
  title: string
  action: string
  text: ComponentChildren
  danger?: boolean
  onClose: () => void
  onConfirm: () => Promise<unknown>
}) {
  return (
    <FormDialog title={title} action={action} danger={danger ?? false} onClose={onClose} onSubmit={onConfirm}>
      <p>{text}</p>
    </FormDialog>
  )
}

import { SelectField, useFormat, useLoad, useTexts } from '@cuatrola/ui'
import { api, ask } from '../api/client'
import { texts } from './texts'

/** Every document there is to begin from or to compare, and what each is called. */
export function useSources() {
  const t = useTexts(texts)
  const f = useFormat()
  const found = useLoad(async (signal) => {
    const [versions, drafts, proposals] = await Promise.all([
      ask(api.GET('/admin/v1/economy/versions', { params: { query: { limit: 100 } }, signal })),
      ask(api.GET('/admin/v1/economy/drafts', { signal })),
      ask(api.GET('/admin/v1/economy/proposals', { params: { query: { limit: 100 } }, signal })),
    ])
    return { versions, drafts, proposals }
  }, [])
  const options = [
    { value: 'live', label: t('source_live') },
    ...(found.data?.drafts.drafts ?? []).map((d) => ({ value: `draft:${d.id}`, label: t('source_draft', { name: d.name }) })),
    ...(found.data?.proposals.proposals ?? []).filter((p) => p.state === 'open').map((p) => ({ value: `proposal:${p.id}`, label: t('source_proposal', { author: p.author, reason: p.reason }) })),
    ...(found.data?.versions.versions ?? []).map((v) => ({ value: `version:${v.number}`, label: `${t('version_n', { n: v.number })} · ${f.date(v.liveFrom)} · ${v.reason}` })),
    { value: 'shipped', label: t('source_shipped') },
  ]
  return { options, ready: found.data !== null, problem: found.problem }
}

/** One of the documents. */
export function SourceField({ label, name, value, onChange }: { label: string; name: string; value: string; onChange: (source: string) => void }) {
  const { options } = useSources()
  const shown = options.some((o) => o.value === value) ? options : [{ value, label: value }, ...options]
  return <SelectField label={label} name={name} value={value} onChange={onChange} options={shown} />
}

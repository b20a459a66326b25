import { Button, ChoiceField, Code, Page, ProblemNote, Section, SelectField, Skeleton, useLoad, useQuery, useTexts } from '@cuatrola/ui'
import { ArrowLeftRight } from 'lucide'
import { useMemo } from 'preact/hooks'
import { api, ask } from '../api/client'
import { Changes } from './changes'
import { parse } from './document'
import { useSchema } from './schema'
import { useSources } from './sources'
import { texts } from './texts'
import './economy.css'

/** Any two documents, side by side. */
export default function Compare() {
  const t = useTexts(texts)
  const schema = useSchema()
  const sources = useSources()
  const [before, setBefore] = useQuery('before', 'live')
  const [after, setAfter] = useQuery('after', 'shipped')
  const [show, setShow] = useQuery('show', 'changed')
  const found = useLoad(async (signal) => {
    const [{ changes }, a, b] = await Promise.all([
      ask(api.GET('/admin/v1/economy/comparison', { params: { query: { before, after } }, signal })),
      ask(api.GET('/admin/v1/economy/document', { params: { query: { of: before } }, signal })),
      ask(api.GET('/admin/v1/economy/document', { params: { query: { of: after } }, signal })),
    ])
    return { changes, texts: [a.document, b.document] as const }
  }, [before, after])
  const documents = useMemo(() => (found.data ? [parse(found.data.texts[1]).value, parse(found.data.texts[0]).value] : []), [found.data])
  const name = (source: string) => sources.options.find((o) => o.value === source)?.label.split(' · ')[0] ?? source
  const options = (value: string) => (sources.options.some((o) => o.value === value) ? sources.options : [{ value, label: value }, ...sources.options])
  return (
    <Page title={t('compare')} lead={t('compare_lead')} back={{ href: '/admin/economy', label: t('title') }}>
      <Section>
        <div class="compare-bar">
          <div class="compare-pick">
            <SelectField label={t('before')} name="before" value={before} onChange={setBefore} options={options(before)} />
            <Button
              icon={ArrowLeftRight} aria-label={t('swap')} data-action="swap"
              onClick={() => {
                setBefore(after)
                setAfter(before)
              }}
            />
            <SelectField label={t('after')} name="after" value={after} onChange={setAfter} options={options(after)} />
          </div>
          <ChoiceField
            bare label={t('show')} name="show" value={show} onChange={setShow}
            options={[{ value: 'changed', label: t('only_changed') }, { value: 'all', label: t('whole_documents') }]}
          />
        </div>
        {(found.problem ?? schema.problem) && <ProblemNote problem={(found.problem ?? schema.problem)!} retry={found.reload} />}
        {(!found.data || !schema.data) && !found.problem && <Skeleton lines={5} />}
        {found.data && schema.data && (show === 'changed'
          ? <Changes schema={schema.data} changes={found.data.changes} documents={documents} before={name(before)} after={name(after)} label={t('compare')} />
          : (
            <div class="side-by-side">
              {found.data.texts.map((text, i) => (
                <div key={i}>
                  <h2>{name(i === 0 ? before : after)}</h2>
                  <Code text={text} lang="json" label={name(i === 0 ? before : after)} />
                </div>
              ))}
            </div>
          ))}
      </Section>
    </Page>
  )
}

import { type Format, type Translate, useFormat, useLanguage, useTexts } from '@cuatrola/ui'
import { useMemo } from 'preact/hooks'
import type { Schemas } from '../api/types'
import { texts } from './texts'

export type Fault = Schemas['EconomyProblem']
export type FaultCode = Schemas['EconomyProblemCode']

// A code of the contract's that has no words is an error of types.
const allHaveWords: `fault_${FaultCode}` extends keyof typeof texts.es ? true : never = true
void allHaveWords

type Key = Parameters<Translate<keyof typeof texts.es>>[0]

/** What is wrong, in words. */
export function faultText(t: Translate<Key>, f: Format, { code, limit }: { code: string; limit?: string | undefined }): string {
  const key = `fault_${code}`
  const n = limit !== undefined && /^-?\d+$/.test(limit) ? f.number(Number(limit)) : limit ?? ''
  if (code === 'wrong_type') return t(limit === 'integer' ? 'fault_wrong_type_integer' : 'fault_wrong_type')
  if (!t.has(key)) return t('fault_wrong')
  const text = t(key)
  return text.includes('{n}') ? (n === '' ? t('fault_wrong') : t(key, { n })) : text
}

export function useFaultText() {
  const t = useTexts(texts)
  const f = useFormat()
  const language = useLanguage()
  return useMemo(() => (fault: { code: string; limit?: string | undefined }) => faultText(t, f, fault), [language])
}

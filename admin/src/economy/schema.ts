import { type Language, type Trilingual, useLanguage, useLoad } from '@cuatrola/ui'
import { useMemo } from 'preact/hooks'
import { api, ask } from '../api/client'

interface Titled {
  title?: string
  description?: string
  'x-es'?: { title: string; description: string }
  'x-ca'?: { title: string; description: string }
}

/** A part of the document's schema. What the server says of its annotations is in openapi.yaml, at getEconomySchema. */
export interface Node extends Titled {
  $ref?: string
  type?: 'object' | 'array' | 'string' | 'integer'
  const?: string
  enum?: string[]
  oneOf?: Node[]
  properties?: Record<string, Node>
  patternProperties?: Record<string, Node>
  required?: string[]
  items?: Node | false
  prefixItems?: Node[]
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  'x-section'?: string
  'x-unit'?: string
  'x-names'?: Record<string, Trilingual>
  'x-item'?: Trilingual
  'x-label'?: string
}

export interface Schema extends Node {
  properties: Record<string, Node>
  $defs: Record<string, Node>
  'x-sections': (Titled & { key: string })[]
  'x-units': Record<string, Trilingual>
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
export type Path = readonly (string | number)[]

export const isObject = (v: Json | undefined): v is { [name: string]: Json } => typeof v === 'object' && v !== null && !Array.isArray(v)

/** The schema, asked for once. */
let asked: Promise<Schema> | null = null
export function useSchema() {
  return useLoad(() => (asked ??= ask(api.GET('/admin/v1/economy/schema')).then(
    ({ schema }) => schema as Schema,
    (err: unknown) => {
      asked = null
      throw err
    },
  )), [])
}

/** A node with what it refers to; what it says itself counts more. */
export function resolved(schema: Schema, node: Node): Node {
  if (!node.$ref) return node
  const { $ref, ...own } = node
  return { ...schema.$defs[$ref.slice('#/$defs/'.length)], ...own }
}

/** Title and help of a node in a language. */
export function words(node: Titled, language: Language): { title: string; help: string } {
  const { title = '', description = '' } = (language === 'en' ? node : node[`x-${language}`]) ?? node
  return { title, help: description }
}

export const unitOf = (schema: Schema, unit: string | undefined, language: Language): string | undefined =>
  unit === undefined ? undefined : schema['x-units'][unit]?.[language]

/** What an entry of a list is called: by its key if it has one, or by its number. */
export function entryTitle(list: Node, entry: Json | undefined, index: number, language: Language): string {
  const key = list['x-label']
  const named = key && isObject(entry) ? entry[key] : undefined
  if (typeof named === 'string' && named !== '') return named
  return (list['x-item']?.[language] ?? '{n}').replace('{n}', String(index + 1))
}

const within = (value: Json | undefined, step: string | number): Json | undefined =>
  Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined

export const at = (value: Json | undefined, path: Path): Json | undefined => path.reduce<Json | undefined>(within, value)

/** A JSON pointer's steps. */
export const steps = (pointer: string): string[] => pointer.split('/').slice(1).map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'))
export const pointer = (path: Path): string => path.map((s) => '/' + String(s).replaceAll('~', '~0').replaceAll('/', '~1')).join('')

interface Place {
  /** The words of each step, such as Weekly league, Divisions, silver, Prizes, Rank 1. */
  titles: string[]
  node: Node | null
  unit: string | undefined
}

/** Where a path leads, in the words of the schema. Documents tell entries of lists apart; the first that has one counts. */
export function place(schema: Schema, path: readonly string[], documents: readonly (Json | undefined)[], language: Language): Place {
  let node: Node | null = schema
  let values = [...documents]
  let unit: string | undefined
  const titles: string[] = []
  for (const step of path) {
    const next: Node | null = node && child(schema, node, step, values[0])
    const entry: Json | undefined = values.map((v) => within(v, step)).find((v) => v !== undefined)
    if (!next) titles.push(step)
    else if (node!.type === 'array' && !node!.prefixItems) titles.push(entryTitle(node!, entry, Number(step), language))
    else if (node!.patternProperties) titles.push(step)
    else titles.push(words(next, language).title || step)
    values = values.map((v) => within(v, step))
    node = next
    unit = node?.['x-unit'] ?? unit
  }
  return { titles, node, unit }
}

function child(schema: Schema, node: Node, step: string, value: Json | undefined): Node | null {
  const found = node.prefixItems?.[Number(step)] || node.items || node.properties?.[step] ||
    variant(schema, node, value, step)?.properties?.[step] ||
    Object.entries(node.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern).test(step))?.[1]
  return found ? resolved(schema, found) : null
}

/** Which of several forms a value has, or the one with a member of that name. */
export function variant(schema: Schema, node: Node, value: Json | undefined, member?: string): Node | null {
  const forms = node.oneOf?.map((form) => resolved(schema, form)) ?? []
  return forms.find((form) => member !== undefined && form.properties?.[member]) ??
    forms.find((form) => isObject(value) && Object.keys(form.properties ?? {}).some((name) => name in value)) ?? forms[0] ?? null
}

/** The least that a new value of a node can be. */
export function blank(schema: Schema, of: Node): Json {
  const node = resolved(schema, of)
  if (node.const !== undefined) return node.const
  if (node.enum) return node.enum[0]!
  if (node.oneOf) return blank(schema, node.oneOf[0]!)
  if (node.prefixItems) return node.prefixItems.map((item) => blank(schema, item))
  switch (node.type) {
    case 'array':
      return Array.from({ length: node.minItems ?? 0 }, () => blank(schema, node.items as Node))
    case 'object':
      if (node.patternProperties) return { EUR: 199 }
      return Object.fromEntries((node.required ?? []).map((name) => [name, blank(schema, node.properties![name]!)]))
    case 'integer':
      return node.minimum ?? 0
    default:
      return ''
  }
}

/** What the schema alone says against a value: at once, before the server has said the rest. */
export function fault(node: Node, value: Json | undefined): { code: string; limit?: string } | null {
  if (value === undefined) return null
  if (node.enum) return node.enum.includes(value as string) ? null : { code: 'wrong_value' }
  if (node.type === 'integer') {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return { code: 'wrong_type', limit: 'integer' }
    if (node.minimum !== undefined && value < node.minimum) return { code: 'too_small', limit: String(node.minimum) }
    if (node.maximum !== undefined && value > node.maximum) return { code: 'too_large', limit: String(node.maximum) }
  }
  if (node.type === 'string') {
    if (typeof value !== 'string') return { code: 'wrong_type', limit: 'string' }
    const length = [...value].length
    if (node.minLength !== undefined && length < node.minLength) return { code: 'too_short', limit: String(node.minLength) }
    if (node.maxLength !== undefined && length > node.maxLength) return { code: 'too_long', limit: String(node.maxLength) }
    if (node.pattern && !new RegExp(node.pattern, 'u').test(value)) return { code: 'wrong_form' }
  }
  return null
}

/** The sections of the form, each with its members in order. */
export function useSections(schema: Schema | null) {
  const language = useLanguage()
  return useMemo(() => (schema?.['x-sections'] ?? []).map((section) => ({
    key: section.key, ...words(section, language),
    members: Object.keys(schema!.properties).filter((name) => schema!.properties[name]!['x-section'] === section.key && schema!.properties[name]!.const === undefined),
  })), [schema, language])
}

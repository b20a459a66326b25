import { findNodeAtLocation, getNodeValue, parseTree, type Node as Tree, type ParseError } from 'jsonc-parser'
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { isObject, type Json, type Node, type Path, type Schema, resolved, variant } from './schema'

const strict = { allowTrailingComma: false, disallowComments: true, allowEmptyContent: false }

export interface Parsed {
  /** What the text says; of a text that is no JSON, what was said before it broke. */
  value: Json
  tree: Tree | undefined
  /** Where it stops being JSON, or null. */
  broken: { line: number; column: number; offset: number } | null
}

export function parse(text: string): Parsed {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, strict)
  const first = errors[0]
  if (!first && tree) return { value: getNodeValue(tree) as Json, tree, broken: null }
  const offset = Math.min(first?.offset ?? 0, text.length)
  const lines = text.slice(0, offset).split('\n')
  return { value: {}, tree, broken: { line: lines.length, column: lines.at(-1)!.length + 1, offset } }
}

/** The text of a value, as documents are written: in one line what fits into one. */
export function print(value: Json, indent = 0): string {
  const line = inline(value)
  if (indent + line.length <= 110 || typeof value !== 'object' || value === null) return line
  const pad = ' '.repeat(indent + 2)
  if (Array.isArray(value)) return `[\n${value.map((v) => pad + print(v, indent + 2)).join(',\n')}\n${' '.repeat(indent)}]`
  return `{\n${Object.entries(value).map(([k, v]) => `${pad}${JSON.stringify(k)}: ${print(v, indent + 2)}`).join(',\n')}\n${' '.repeat(indent)}}`
}

function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${inline(v)}`)
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return JSON.stringify(value)
}

const indentOf = (text: string, offset: number) => {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return text.slice(start).length - text.slice(start).trimStart().length
}

/** The text with another value at a path, or with none. Everything else stays as it is written. */
export function changed(schema: Schema, text: string, path: Path, value: Json | undefined): string {
  const { tree, broken } = parse(text)
  if (broken || !tree) return text
  const found = value === undefined ? undefined : findNodeAtLocation(tree, [...path])
  if (found) return replaced(text, found, value!)
  const parent = findNodeAtLocation(tree, path.slice(0, -1))
  const last = path.at(-1)
  if (last === undefined) return text
  if (!parent) return changed(schema, text, path.slice(0, -1), value === undefined ? undefined : { [last]: value })
  const before = getNodeValue(parent) as Json
  if (Array.isArray(before)) {
    const after = [...before]
    if (value === undefined) after.splice(Number(last), 1)
    else after[Number(last)] = value
    return replaced(text, parent, after)
  }
  if (!isObject(before)) return text
  const { [last]: _, ...rest } = before
  return replaced(text, parent, ordered(schema, path.slice(0, -1), value === undefined ? rest : { ...rest, [last]: value }))
}

function replaced(text: string, node: Tree, value: Json): string {
  return text.slice(0, node.offset) + print(value, indentOf(text, node.offset)) + text.slice(node.offset + node.length)
}

/** An object's members in the order of the schema. */
function ordered(schema: Schema, path: Path, value: { [name: string]: Json }): Json {
  let node: Node | null = schema
  for (const step of path) {
    const next: Node | undefined = node?.properties?.[step] ?? (node?.items || undefined)
    node = next ? resolved(schema, next) : null
  }
  const order = Object.keys((node?.oneOf ? variant(schema, node, value) : node)?.properties ?? {})
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => rank(a) - rank(b)))
}

/** Where a path stands in a text; of what is not there, where the next that is. */
export function range(tree: Tree | undefined, path: readonly string[]): { from: number; to: number } {
  let node = tree
  for (const step of path) {
    const next: Tree | undefined = node && findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step])
    if (!next) break
    node = next
  }
  return node ? { from: node.offset, to: node.offset + node.length } : { from: 0, to: 0 }
}

export interface History {
  text: string
  /** Changes the text. Changes with one key, right after one another, are undone together. */
  change: (text: string, key?: string) => void
  /** Begins anew with another text. */
  reset: (text: string) => void
  undo: () => void
  redo: () => void
  canUndo: boolean
  canRedo: boolean
}

const together = 1000
const most = 300

/** A text that can be gone back in. */
export function useHistory(initial: string): History {
  const [state, setState] = useState({ past: [] as string[], text: initial, future: [] as string[] })
  const last = useRef({ key: '', at: 0 })
  const change = useCallback((text: string, key = '') => {
    const now = Date.now()
    const joins = key !== '' && key === last.current.key && now - last.current.at < together
    last.current = { key, at: now }
    setState((s) => (text === s.text ? s : { past: joins && s.past.length > 0 ? s.past : [...s.past.slice(-most), s.text], text, future: [] }))
  }, [])
  const reset = useCallback((text: string) => {
    last.current = { key: '', at: 0 }
    setState({ past: [], text, future: [] })
  }, [])
  const undo = useCallback(() => {
    last.current = { key: '', at: 0 }
    setState((s) => (s.past.length === 0 ? s : { past: s.past.slice(0, -1), text: s.past.at(-1)!, future: [s.text, ...s.future] }))
  }, [])
  const redo = useCallback(() => {
    last.current = { key: '', at: 0 }
    setState((s) => (s.future.length === 0 ? s : { past: [...s.past, s.text], text: s.future[0]!, future: s.future.slice(1) }))
  }, [])
  return useMemo(() => ({
    text: state.text, change, reset, undo, redo, canUndo: state.past.length > 0, canRedo: state.future.length > 0,
  }), [state])
}

import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, codeFolding, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { Annotation, Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { parse, range } from './document'
import { steps } from './schema'

export interface RawProblem {
  path: string
  message: string
}

/** Marks a change that came from outside, which is not to be told back. */
const outside = Annotation.define<boolean>()

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.8px', color: 'var(--ink)', backgroundColor: 'color-mix(in srgb, var(--ground) 60%, var(--panel))' },
  '&.cm-focused': { outline: '2.5px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-soft)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--hover) 70%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent) !important' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important', color: 'inherit !important' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '8px', fontFamily: 'var(--font)' },
  '.cm-diagnostic': { borderLeftColor: 'var(--bad)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--line-soft)', color: 'var(--ink-soft)', border: '0' },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--info)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null], color: 'var(--bad)' },
])

/**
 * The document as a text. What is wrong is marked where it stands. It lives in a shadow root, where the editor's styles are
 * adopted style sheets, which the page's policy allows; anywhere else it would write a style element, which it does not.
 */
export function Raw({ text, onChange, problems, label, broken, reveal, undo, redo }: {
  text: string
  /** Absent if the text is only to be read. */
  onChange?: ((text: string) => void) | undefined
  problems: readonly RawProblem[]
  label: string
  /** What is said of a place where the text is no JSON. */
  broken: (line: number, column: number) => string
  /** The member that is scrolled to when it becomes another. */
  reveal?: string | undefined
  undo?: () => void
  redo?: () => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const told = useRef({ onChange, undo, redo })
  told.current = { onChange, undo, redo }
  const named = useRef(new Compartment())
  // What was typed here and comes back as the text, perhaps when more has been typed already.
  const echoes = useRef<string[]>([])
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const run = (key: 'undo' | 'redo') => () => {
      told.current[key]?.()
      return true
    }
    const editor = new EditorView({
      parent: root, root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), codeFolding(), foldGutter(), lintGutter(), drawSelection(), highlightActiveLine(), highlightActiveLineGutter(),
          indentOnInput(), bracketMatching(), json(), syntaxHighlighting(colours), look, EditorView.lineWrapping,
          EditorState.readOnly.of(!onChange), EditorState.tabSize.of(2),
          named.current.of(EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })),
          // Escape, then Tab, leaves the text, as the editor does everywhere.
          keymap.of([
            { key: 'Mod-z', run: run('undo') }, { key: 'Mod-y', run: run('redo') }, { key: 'Mod-Shift-z', run: run('redo') },
            ...defaultKeymap, ...foldKeymap, ...lintKeymap, indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((t) => t.annotation(outside))) return
            const typed = update.state.doc.toString()
            echoes.current.push(typed)
            told.current.onChange?.(typed)
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    view.current?.dispatch({ effects: named.current.reconfigure(EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })) })
  }, [label])
  useLayoutEffect(() => {
    const editor = view.current!
    const echo = echoes.current.indexOf(text)
    echoes.current = echoes.current.slice(echo + 1)
    if (echo >= 0) return
    echoes.current = []
    const now = editor.state.doc.toString()
    if (now === text) return
    // Only what differs, so that the cursor and what is folded stay.
    let from = 0
    while (from < now.length && from < text.length && now[from] === text[from]) from++
    let end = 0
    while (end < now.length - from && end < text.length - from && now.at(-1 - end) === text.at(-1 - end)) end++
    editor.dispatch({ changes: { from, to: now.length - end, insert: text.slice(from, text.length - end) }, annotations: outside.of(true) })
  }, [text])
  useEffect(() => {
    const editor = view.current!
    const { tree, broken: at } = parse(text)
    const size = editor.state.doc.length
    const found: Diagnostic[] = at
      ? [{ from: Math.min(at.offset, size), to: Math.min(at.offset + 1, size), severity: 'error', message: broken(at.line, at.column) }]
      : problems.map(({ path, message }) => {
        const { from, to } = range(tree, steps(path))
        return { from: Math.min(from, size), to: Math.min(to, size), severity: 'error', message }
      })
    editor.dispatch(setDiagnostics(editor.state, found))
  }, [text, problems, broken])
  useEffect(() => {
    const editor = view.current!
    const { from } = range(parse(text).tree, reveal === undefined ? [] : [reveal])
    editor.dispatch({ effects: EditorView.scrollIntoView(Math.min(from, editor.state.doc.length), { y: 'start', yMargin: 24 }) })
  }, [reveal])
  return <div class="raw" ref={host} data-raw />
}

import type { Trilingual } from './i18n'
import { languages } from './i18n'
import { TextArea, TextField } from './fields'

export const noWords: Trilingual = { es: '', ca: '', en: '' }

/** Whether something is said in every language. */
export const complete = (words: Trilingual) => languages.every(({ code }) => words[code].trim() !== '')

/** A text in each language, one below the other; `missing` is said at those that are empty, if it is given. */
export function WordsField({ label, name, value, onChange, rows = 1, max, missing, hint }: {
  label: string
  name: string
  value: Trilingual
  onChange: (value: Trilingual) => void
  rows?: number
  max: number
  missing?: string | null
  hint?: string
}) {
  return (
    <fieldset class="field words">
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {languages.map(({ code, name: language }) => {
        const field = {
          label: language, name: `${name}-${code}`, required: true, value: value[code],
          error: missing && value[code].trim() === '' ? missing : null, onChange: (text: string) => onChange({ ...value, [code]: text }),
        }
        return rows > 1
          ? <TextArea key={code} {...field} rows={rows} area={{ maxLength: max, lang: code }} />
          : <TextField key={code} {...field} input={{ maxLength: max }} />
      })}
    </fieldset>
  )
}

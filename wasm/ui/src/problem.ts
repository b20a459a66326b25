import { garbled, Problem } from '@cuatrola/client'
import { localTag } from './format'
import { defineTexts, problemText, translator, type Language } from './i18n'

export { Problem }

/** Whatever was thrown, as a problem. */
export function asProblem(err: unknown): Problem {
  if (err instanceof Problem) return err
  console.error(err)
  return new Problem(garbled, 0, String(err))
}

/** What a person is told: what happened and what to do. */
export function explain(language: Language, problem: Problem): string {
  // What the house has stopped comes with the house's own words.
  const stopped = problem.body['stopped'] as { text?: Partial<Record<Language, string>> } | undefined
  if (stopped?.text?.[language]) return stopped.text[language]
  const suspension = problem.body['suspension'] as Suspension | undefined
  if (suspension) return suspended(language, suspension)
  return problemText(language, problem.code) ?? (problem.detail || problemText(language, 'internal')!)
}

interface Suspension {
  why: string
  until?: string
  text?: string
}

/** Why the house keeps a player out, and until when. */
function suspended(language: Language, { why, until, text }: Suspension): string {
  const t = translator(kept, language)
  const when = until && new Date(until).toLocaleString(localTag(language), { dateStyle: 'medium', timeStyle: 'short' })
  return [when ? t('until', { when }) : t('out'), text ?? t.code(why, '')].filter(Boolean).join(' ')
}

const kept = defineTexts({
  es: {
    out: 'La casa ha cerrado tu cuenta.', until: 'La casa ha cerrado tu cuenta hasta el {when}.',
    cheating: 'Motivo: trampas.', collusion: 'Motivo: jugar en pareja por las monedas del otro.', harassment: 'Motivo: acoso.',
    name: 'Motivo: un nombre ofensivo.', payments: 'Motivo: los pagos.', rules: 'Motivo: las normas de la casa.',
  },
  ca: {
    out: 'La casa ha tancat el teu compte.', until: 'La casa ha tancat el teu compte fins al {when}.',
    cheating: 'Motiu: trampes.', collusion: 'Motiu: jugar en parella per les monedes de l’altre.', harassment: 'Motiu: assetjament.',
    name: 'Motiu: un nom ofensiu.', payments: 'Motiu: els pagaments.', rules: 'Motiu: les normes de la casa.',
  },
  en: {
    out: 'The house has closed your account.', until: 'The house has closed your account until {when}.',
    cheating: 'Reason: cheating.', collusion: 'Reason: playing for one another’s coins.', harassment: 'Reason: harassment.',
    name: 'Reason: an offensive name.', payments: 'Reason: payments.', rules: 'Reason: the rules of the house.',
  },
})

// The codes that any request can get. Areas bring the texts of theirs.
defineTexts({
  es: {
    problem_unreachable: 'No se llega al servidor. Comprueba la conexión y vuelve a intentarlo.',
    problem_garbled: 'Ha contestado algo que no es el servidor. Recarga la página.',
    problem_internal: 'El servidor ha fallado. Vuelve a intentarlo; si se repite, busca el número de la petición en su registro.',
    problem_unavailable: 'El servidor no puede atender ahora. Vuelve a intentarlo en un momento.',
    problem_timeout: 'El servidor ha tardado demasiado. Vuelve a intentarlo.',
    problem_rate_limited: 'Demasiadas peticiones seguidas. Espera un momento.',
    problem_unauthenticated: 'Hay que entrar para hacer esto.',
    problem_session_ended: 'La sesión ha terminado. Entra otra vez y repítelo.',
    problem_forbidden: 'Tu papel no permite hacer esto. Pídeselo a una persona propietaria.',
    problem_csrf: 'La página estaba abierta con otra sesión. Vuelve a intentarlo.',
    problem_not_found: 'No existe, o ya no.',
    problem_invalid_request: 'Falta algo o no es válido. Repasa los campos.',
    problem_conflict: 'Alguien lo ha cambiado mientras tanto. Recarga y repítelo.',
    problem_payload_too_large: 'Es demasiado grande.',
  },
  ca: {
    problem_unreachable: 'No s’arriba al servidor. Comprova la connexió i torna-ho a provar.',
    problem_garbled: 'Ha respost alguna cosa que no és el servidor. Recarrega la pàgina.',
    problem_internal: 'El servidor ha fallat. Torna-ho a provar; si es repeteix, busca el número de la petició al seu registre.',
    problem_unavailable: 'El servidor no pot atendre ara. Torna-ho a provar d’aquí a un moment.',
    problem_timeout: 'El servidor ha trigat massa. Torna-ho a provar.',
    problem_rate_limited: 'Massa peticions seguides. Espera un moment.',
    problem_unauthenticated: 'Cal entrar per fer això.',
    problem_session_ended: 'La sessió s’ha acabat. Torna a entrar i repeteix-ho.',
    problem_forbidden: 'El teu paper no permet fer això. Demana-ho a una persona propietària.',
    problem_csrf: 'La pàgina estava oberta amb una altra sessió. Torna-ho a provar.',
    problem_not_found: 'No existeix, o ja no.',
    problem_invalid_request: 'Falta alguna cosa o no és vàlida. Repassa els camps.',
    problem_conflict: 'Algú ho ha canviat mentrestant. Recarrega i repeteix-ho.',
    problem_payload_too_large: 'És massa gran.',
  },
  en: {
    problem_unreachable: 'The server cannot be reached. Check the connection and try again.',
    problem_garbled: 'Something other than the server answered. Reload the page.',
    problem_internal: 'The server failed. Try again; if it happens again, look for the request’s number in its log.',
    problem_unavailable: 'The server cannot answer now. Try again in a moment.',
    problem_timeout: 'The server took too long. Try again.',
    problem_rate_limited: 'Too many requests in a row. Wait a moment.',
    problem_unauthenticated: 'Sign in to do this.',
    problem_session_ended: 'The session has ended. Sign in again and repeat it.',
    problem_forbidden: 'Your role does not allow this. Ask an owner.',
    problem_csrf: 'The page was open with another session. Try again.',
    problem_not_found: 'It does not exist, or not any more.',
    problem_invalid_request: 'Something is missing or not valid. Go over the fields.',
    problem_conflict: 'Somebody changed it meanwhile. Reload and repeat it.',
    problem_payload_too_large: 'It is too large.',
  },
})

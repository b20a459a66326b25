import { defineTexts, Problem } from '@cuatrola/ui'
import type { Schemas } from '../api/types'

// Web Authentication, in its JSON forms, which all current browsers speak.

/** Whether this browser keeps passkeys, and this page may ask for them. */
export const supported = () => typeof PublicKeyCredential !== 'undefined' && 'parseCreationOptionsFromJSON' in PublicKeyCredential && isSecureContext

type Options = Schemas['StaffCeremony']['publicKey']
type Answer = Schemas['StaffCredential']

/** Has the browser make a passkey. */
export const create = (options: Options) =>
  asked(() => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON) }))

/** Has the browser sign with a passkey. */
export const sign = (options: Options) =>
  asked(() => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON) }))

async function asked(ask: () => Promise<Credential | null>): Promise<Answer> {
  try {
    const credential = await ask()
    return (credential as PublicKeyCredential).toJSON() as Answer
  } catch (err) {
    const codes: Record<string, string> = { InvalidStateError: 'passkey_known', SecurityError: 'passkey_site' }
    // Whoever says no, waits too long or has none: browsers do not tell which.
    throw new Problem(codes[(err as Error).name] ?? 'passkey_not_given', 0, String(err))
  }
}

defineTexts({
  es: {
    problem_passkey_unknown: 'Esa llave ya no es de nadie aquí. Entra con la contraseña.',
    problem_passkey_known: 'Este aparato ya tiene una llave tuya.',
    problem_passkey_site: 'Las llaves solo valen en la dirección pública del servidor. Abre el panel por ella.',
    problem_passkey_not_given: 'El navegador no ha dado ninguna llave. Vuelve a intentarlo.',
    problem_passkey_invalid: 'Se tardó demasiado, o la respuesta no vale. Vuelve a intentarlo.',
  },
  ca: {
    problem_passkey_unknown: 'Aquesta clau ja no és de ningú aquí. Entra amb la contrasenya.',
    problem_passkey_known: 'Aquest aparell ja té una clau teva.',
    problem_passkey_site: 'Les claus només valen a l’adreça pública del servidor. Obre-hi el tauler.',
    problem_passkey_not_given: 'El navegador no ha donat cap clau. Torna-ho a provar.',
    problem_passkey_invalid: 'S’ha trigat massa, o la resposta no val. Torna-ho a provar.',
  },
  en: {
    problem_passkey_unknown: 'This passkey is nobody’s here any more. Sign in with the password.',
    problem_passkey_known: 'This device has a passkey of yours already.',
    problem_passkey_site: 'Passkeys are good at the server’s public address only. Open the panel there.',
    problem_passkey_not_given: 'The browser gave no passkey. Try again.',
    problem_passkey_invalid: 'This took too long, or the answer is not good. Try again.',
  },
})

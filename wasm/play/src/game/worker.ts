// The worker that holds the module: rules, deals, bots, coach and verification, away from the page, which stays quick.
import { FormatError, init, OptionError } from '@cuatrola/rules'
import { calls, type Calls } from './calls'
import type { Fault, Request, Told } from './protocol'

const tell = (told: Told) => postMessage(told)
const load = () => init().then((engine) => calls(engine, (match, state) => tell({ match, state })))

let loading: Promise<Calls> | null = load()

onmessage = async ({ data }: MessageEvent<Request>) => {
  try {
    // The connection may have been away when the worker began.
    loading ??= load()
    const known = await loading.catch((err: unknown) => {
      loading = null
      throw err
    })
    const call = known[data.call] as (...args: readonly unknown[]) => unknown
    tell({ n: data.n, value: call(...data.args) })
  } catch (err) {
    tell({ n: data.n, fault: faultOf(err) })
  }
}

function faultOf(err: unknown): Fault {
  const message = err instanceof Error ? err.message : String(err)
  if (err instanceof OptionError) return { code: 'invalid_rules', message, field: err.option }
  return { code: err instanceof FormatError ? 'bad_record' : 'module_failed', message, field: null }
}

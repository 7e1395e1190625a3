import { createInterface } from 'node:readline/promises'
import { printable } from '../lib/printable.js'
import { CliError } from './cli-error.js'
import { exitCode } from './exit-code.js'
import type { Invocation } from './invocation.js'

/** Goes on only if the person says yes. Without a terminal to ask: exit code 7, naming `--yes`. No: exit code 12. */
export async function confirm(at: Invocation, question: string): Promise<void> {
  if (!at.interactive) {
    throw new CliError(exitCode.held, `${question} There is nobody to ask.`, {
      status: 'held',
      hint: 'Give --yes to consent to what is shown.',
    })
  }
  const reader = createInterface({ input: at.stdin })
  const closed = new AbortController()
  reader.once('close', () => closed.abort())
  try {
    at.out.message(({ style }) => [`${style.bold(printable(question))} Type yes to go on:`])
    const answer = await reader.question('', { signal: AbortSignal.any([at.signal, closed.signal]) })
    if (/^\s*y(es)?\s*$/i.test(answer)) return
  } catch (cause) {
    throw new CliError(exitCode.cancelled, 'Interrupted; nothing was done.', { status: 'cancelled', cause })
  } finally {
    reader.close()
  }
  throw new CliError(exitCode.cancelled, 'Nothing was done.', { status: 'cancelled' })
}

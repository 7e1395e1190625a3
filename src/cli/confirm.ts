import { createInterface } from 'node:readline/promises'
import { printable } from '../lib/printable.js'
import { interruptions } from './cli-errors.js'
import type { Invocation } from './invocation.js'

/** Returns only if the answer is yes. Errors: exit code 7 without a terminal, 12 for any other answer. */
export async function confirm(cli: Invocation, question: string): Promise<void> {
  if (!cli.interactive) throw interruptions.needsConfirmation(question)
  const reader = createInterface({ input: cli.stdin })
  const closed = new AbortController()
  reader.once('close', () => closed.abort())
  try {
    cli.out.message(({ style }) => [`${style.bold(printable(question))} Type yes to continue:`])
    const answer = await reader.question('', { signal: AbortSignal.any([cli.signal, closed.signal]) })
    if (/^\s*y(es)?\s*$/i.test(answer)) return
  } catch (cause) {
    throw interruptions.interruptedQuestion(cause)
  } finally {
    reader.close()
  }
  throw interruptions.declined()
}

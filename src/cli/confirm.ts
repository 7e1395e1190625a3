// The question before a command that destroys something. All of them ask here: docs/reference/cli.md#confirmation.
import { createInterface } from 'node:readline/promises'
import { printable } from '../lib/text/printable.js'
import { shellWord } from '../lib/text/shell-word.js'
import { addressMatches, familyOf, type Address } from '../model/address.js'
import { firstLosses, interruptions } from './errors/interruptions.js'
import type { Invocation } from './invocation.js'

export interface ConfirmOptions {
  readonly yes?: true | undefined
  /** Addresses, or `Bucket/*`. */
  readonly consent?: readonly string[] | undefined
}

/** A resource that loses its data, or is protected. */
export interface LostResource {
  readonly address: Address
  /** A sentence: why losing it needs consent. */
  readonly message: string
}

/**
 * `approval`: the command that approves the plan. gitmoor changes nothing before it, even after a yes; undefined: the
 * yes suffices.
 */
export interface Consequences {
  readonly losses?: readonly LostResource[]
  readonly approval?: string | undefined
}

/**
 * Returns only if a person agrees, at the terminal or by options: `--yes` answers the question, `--consent` agrees to
 * the losses that it names. A yes at the terminal does both. Errors: exit code 7 if an option is missing, 12 for any
 * other answer than yes.
 */
export async function confirm(
  cli: Invocation,
  question: string,
  { yes, consent = [] }: ConfirmOptions,
  { losses = [], approval }: Consequences = {},
): Promise<void> {
  const open = losses.filter(({ address }) => !isCovered(address, consent))
  if (yes === true && open.length === 0) return
  const missing = { options: [...(yes === true ? [] : ['--yes']), ...consentWords(open)].join(' '), approval }
  const messages = open.map(({ message }) => message)
  if (yes === true || (consent.length > 0 && open.length > 0)) throw interruptions.needsConsent(messages, missing)
  if (!cli.interactive) throw interruptions.needsConfirmation(question, messages, missing)
  const then = approval === undefined ? '' : ` Nothing is changed until you also type: ${approval}.`
  await ask(cli, `${question}${then}`, messages)
}

/** True if one of the words of `--consent` names the address. */
export function isCovered(address: Address, consent: readonly string[]): boolean {
  return consent.some((word) => addressMatches(word, address))
}

const addressesNamed = 2

/** `--consent Bucket/raw`; for many addresses `--consent 'Bucket/*'`. */
function consentWords(losses: readonly LostResource[]): readonly string[] {
  const addresses = losses.map(({ address }) => address)
  const names = addresses.length > addressesNamed ? addresses.map((one) => `${familyOf(one)}/*`) : addresses
  return [...new Set(names)].map((name) => `--consent ${shellWord(name)}`)
}

async function ask(cli: Invocation, question: string, losses: readonly string[]): Promise<void> {
  const reader = createInterface({ input: cli.stdin })
  const closed = new AbortController()
  reader.once('close', () => closed.abort())
  try {
    cli.out.message(({ style }) => [
      ...firstLosses(losses).map((loss) => style.red(`  ! ${printable(loss)}`)),
      `${style.bold(printable(question))} Type yes to continue:`,
    ])
    const answer = await reader.question('', { signal: AbortSignal.any([cli.signal, closed.signal]) })
    if (answer.trim() === 'yes') return
  } catch (cause) {
    throw interruptions.interruptedQuestion(cause)
  } finally {
    reader.close()
  }
  throw interruptions.declined()
}

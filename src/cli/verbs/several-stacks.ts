// Verbs that act on several stacks: which ones, a line for each as it ends, a summary, and one exit code.
import { setMaxListeners } from 'node:events'
import { Semaphore } from '../../lib/async/semaphore.js'
import { fleetOwner } from '../../model/stacks/stack-owner.js'
import type { StackRow, StackView } from '../../views/stack.js'
import { CliError } from '../errors/cli-error.js'
import { interruptions } from '../errors/interruptions.js'
import { stackErrors } from '../errors/selection-errors.js'
import { usageErrors } from '../errors/usage-errors.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { exitCode, worstExitCode } from '../exit-code.js'
import type { Invocation } from '../invocation.js'
import { errorValue } from '../text/error-text.js'
import { refusalWord, refusedLines, summaryLine, type StackResult } from '../text/several-stacks-text.js'
import type { Display } from '../text/text.js'

export interface StackSelection {
  readonly selector?: string
  readonly fleet?: string
  readonly all?: true
}

export const selectorOption = ['-l, --selector <SELECTOR>', 'stacks with these labels: team=ops,tier!=test'] as const

const allOption = ['--all', 'all stacks'] as const

export const selectionOptions = [selectorOption, ['--fleet <FLEET>', 'stacks of this fleet'], allOption] as const

/** True if options select stacks, false if NAME does. Errors: `UsageError`, unless it is one of them. */
export function selectsSeveral(name: string, { selector, fleet, all }: StackSelection): boolean {
  const ways = [name !== '', selector !== undefined, fleet !== undefined, all === true].filter(Boolean)
  if (ways.length !== 1) throw usageErrors.whichStacks(ways.length)
  return name === ''
}

/** Which of the selected stacks a verb acts on. `and`: in words, as in ` and is suspended`. */
interface Among {
  readonly and?: string
  readonly query?: { readonly suspended?: 'true' | 'false' }
  readonly includes?: (stack: StackRow) => boolean
}

/** The selected stacks, from one listing. Errors: `CliError` with exit code 9, if a selector or fleet has none. */
export async function selectedStacks(
  cli: Invocation,
  selection: StackSelection,
  { and, query = {}, includes = () => true }: Among = {},
): Promise<readonly StackRow[]> {
  const selected = { ...query, ...selectionQuery(selection) }
  const all = await readPages<StackRow>(cli.client, '/api/v1/stacks', selected, maximumListItems)
  const stacks = all.items.filter(includes)
  if (stacks.length === 0) refuseNone(selection, and)
  return stacks
}

/** The selection as parameters of lists of stacks and of runs. */
export function selectionQuery({ selector, fleet }: StackSelection): {
  readonly selector: string | undefined
  readonly managedBy: string | undefined
} {
  return { selector, managedBy: fleet === undefined ? undefined : fleetOwner(fleet) }
}

/** Throws if a selector or a fleet selects no stack; without any stack, `--all` has nothing to do. */
export function refuseNone({ selector, fleet }: StackSelection, and?: string): void {
  if (selector !== undefined) throw stackErrors.noneSelected(selector, and)
  if (fleet !== undefined) throw stackErrors.noneOfFleet(fleet, and)
}

/** The names of the selected stacks. Errors as those of `selectedStacks`. */
export async function selectedNames(cli: Invocation, selection: StackSelection): Promise<readonly string[]> {
  return (await selectedStacks(cli, selection)).map(({ name }) => name)
}

/**
 * Acts on all stacks at the same time, on each as its name arrives; `act` limits its own requests. Calls `onEnd` for
 * each as it ends. An error of one stack does not stop the others. Errors: those of the agent as a whole, and exit code
 * 12 after Ctrl-C.
 */
export async function actOnEach<T>(
  cli: Invocation,
  names: readonly string[] | AsyncIterable<string>,
  act: (name: string, signal: AbortSignal) => Promise<T>,
  onEnd: (result: StackResult<T>) => void,
): Promise<readonly StackResult<T>[]> {
  const stop = new AbortController()
  const signal = AbortSignal.any([cli.signal, stop.signal])
  setMaxListeners(0, signal) // one for each stack that waits for its turn
  const actOn = async (name: string): Promise<StackResult<T>> => {
    const result = await resultOf(name, () => act(name, signal))
    if (!signal.aborted) onEnd(result)
    return result
  }
  try {
    const acting: Promise<StackResult<T>>[] = []
    for await (const name of names) {
      const result = actOn(name)
      result.catch(() => {}) // it is awaited after the last name
      acting.push(result)
    }
    return await Promise.all(acting)
  } catch (error) {
    stop.abort(error)
    throw cli.signal.aborted ? interruptions.stoppedWaitingForAll(error) : error
  }
}

/** Prints a line or more for each stack as it ends; nothing with `--json`. */
export function printLine<T>(
  cli: Invocation,
  line: (name: string, value: T, display: Display) => string | readonly string[],
): (result: StackResult<T>) => void {
  return (result) => {
    if (cli.out.json) return
    cli.out.lines((display) =>
      'error' in result ? refusedLines(result, display) : [line(result.name, result.value, display)].flat(),
    )
  }
}

async function resultOf<T>(name: string, act: () => Promise<T>): Promise<StackResult<T>> {
  try {
    return { name, value: await act() }
  } catch (error) {
    // Errors of the command line itself concern all stacks: no agent, no permission, Ctrl-C.
    if (!(error instanceof CliError) || error.code.startsWith('cli/') || error.status === 'auth') throw error
    return { name, error }
  }
}

/** How the results are printed and what they exit with. */
interface Ending<T> {
  /** The name of the value with `--json`. */
  readonly key: string
  /** The value in one or two words. */
  readonly word: (value: T) => string
  /** The word for an error. Default: that of the error. */
  readonly errorWord?: (error: CliError) => string
  readonly exit: (value: T) => number
  /** Default: the summary. */
  readonly lines?: (summary: string, display: Display) => readonly string[]
  /** With `--json`: what is beside the results. */
  readonly facts?: object
}

/** Prints the summary, or with `--json` all results. Returns the worst exit code. */
export function finishSeveral<T>(
  cli: Invocation,
  results: readonly StackResult<T>[],
  { key, word, errorWord = refusalWord, exit, lines = (summary) => [summary], facts = {} }: Ending<T>,
): number {
  const items = results.map((result) =>
    'error' in result ? { name: result.name, ...errorValue(result.error) } : { name: result.name, [key]: result.value },
  )
  const summary = summaryLine(
    results.map((result) => ('error' in result ? errorWord(result.error) : word(result.value))),
  )
  cli.out.answer({ ...facts, items }, (display) => lines(summary, display))
  return worstExitCode(results.map((result) => ('error' in result ? result.error.exit : exit(result.value))))
}

/** Requests that change stacks at the same time. */
const changedAtOnce = 16

/** Changes each stack with one request. `word`: what it then is. */
export async function changeEach(
  cli: Invocation,
  stacks: readonly StackRow[],
  {
    request,
    line,
    word,
  }: {
    readonly request: (name: string) => Promise<StackView>
    readonly line: (name: string, stack: StackView) => string
    readonly word: (stack: StackView) => string
  },
): Promise<number> {
  const places = new Semaphore(changedAtOnce)
  const act = (name: string, signal: AbortSignal): Promise<StackView> => places.run(() => request(name), signal)
  const names = stacks.map(({ name }) => name)
  const results = await actOnEach(cli, names, act, printLine(cli, line))
  return finishSeveral(cli, results, { key: 'stack', word, exit: () => exitCode.ok })
}

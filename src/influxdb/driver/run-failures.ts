// Why the last run of a task, a check or a rule failed. Where the resource itself does not show it, the log of the run
// does.
import type { Clock } from '../../lib/clock.js'
import { SyncError } from '../../model/errors.js'
import type { Json } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import { asText } from '../../model/scalar.js'
import { isOutcome } from '../kinds/kinds.js'
import type { ApiClient } from './server/api-client.js'
import { mapsIn } from './cells.js'
import { listIn } from './families.js'

/** A read asks for so many logs; the next one asks for the others. */
export const logsPerRead = 5
/** A run in progress comes before the last one that ended. */
const runsRead = 3
/** A log that cannot be read is not asked for again before. */
export const pauseMs = 60_000
/** Failures that are remembered. */
const mostKnown = 1_000
const mostMessage = 2_000

/** The log of each failed run of an organisation is read once. */
export class RunFailures {
  readonly #client: ApiClient
  readonly #clock: Pick<Clock, 'elapsed'>
  /** By task and time of the run; '': the log does not say. */
  readonly #known = new Map<string, string>()
  /** When a log that could not be read is asked for again, by the same key: elapsed milliseconds. */
  readonly #againAt = new Map<string, number>()

  constructor(client: ApiClient, clock: Pick<Clock, 'elapsed'>) {
    this.#client = client
    this.#clock = clock
  }

  /**
   * The same resources in their order, with the cause in `lastRunError` where only a log has it. A log that cannot be
   * read changes nothing, and is asked for again after a pause.
   */
  async explain(observed: readonly Observed[], signal: AbortSignal): Promise<readonly Observed[]> {
    const unknown = observed.flatMap((one) => {
      const run = unexplainedRun(one)
      return run === undefined || this.#known.has(run.key) || this.#isPaused(run.key) ? [] : [run]
    })
    await Promise.all(unknown.slice(0, logsPerRead).map((run) => this.#read(run, signal)))
    return observed.map((one) => {
      const cause = this.#known.get(unexplainedRun(one)?.key ?? '') ?? ''
      return cause === '' ? one : { ...one, readOnly: { ...one.readOnly, lastRunError: cause } }
    })
  }

  async #read({ key, task, at }: FailedRun, signal: AbortSignal): Promise<void> {
    const path = `/api/v2/tasks/${encodeURIComponent(task)}/runs`
    try {
      const answer = await this.#client.request({ method: 'GET', path: `${path}?limit=${runsRead}` }, signal)
      remember(this.#known, key, causeIn(listIn(answer, 'runs', path), at))
      this.#againAt.delete(key)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof SyncError)) throw error
      remember(this.#againAt, key, this.#clock.elapsed() + pauseMs)
    }
  }

  #isPaused(key: string): boolean {
    return (this.#againAt.get(key) ?? 0) > this.#clock.elapsed()
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > mostKnown) known.delete(oldest!)
}

/** `at`: the time that the run was scheduled for. */
interface FailedRun {
  readonly key: string
  readonly task: string
  readonly at: string
}

/** undefined: the last run did not fail, or its resource shows why. */
function unexplainedRun({ identity, readOnly = {} }: Observed): FailedRun | undefined {
  const { lastRunStatus, lastRunError, latestCompleted, taskID } = readOnly
  if (lastRunStatus !== 'failed' || !isOutcome(lastRunError)) return undefined
  const task = asText(taskID) ?? identity
  const at = asText(latestCompleted) ?? ''
  return { key: `${task} ${at}`, task, at }
}

/** The last message that says more than how the run ended; '': none does. */
function causeIn(runs: readonly Json[], at: string): string {
  const failed = mapsIn(runs).filter(({ status }) => status === 'failed')
  const run = failed.find(({ scheduledFor }) => scheduledFor === at) ?? failed[0]
  const messages = mapsIn(run?.['log']).map(({ message }) => message)
  const cause = messages.findLast((message) => typeof message === 'string' && !isOutcome(message) && !isFrame(message))
  return typeof cause === 'string' ? cause.slice(0, mostMessage).trim() : ''
}

/** The script, which may contain anything, and the repetition of a cause. */
function isFrame(message: string): boolean {
  return /^(?:Started task from script|Task encountered unrecoverable error)\b/.test(message)
}

// Measures how long the event loop was blocked. It costs nothing while the loop sleeps: an unreferenced immediate runs
// once in each iteration, and never wakes the loop.
import { timeText } from '../../lib/text/time-text.js'
import { ok, warning, type Check } from '../../model/agent/check.js'

/** `during`: the requests and runs that were in progress. */
export interface Stall {
  readonly ms: number
  readonly at: number
  readonly during: string
}

/** The longest stall that the limits of docs/reference/limits.md allow. */
const aimMs = 100
/** Requests that are named in a stall. */
const mostNamed = 3

export class LoopMonitor implements Disposable {
  readonly #runs: () => Iterable<string>
  readonly #requests = new Set<{ readonly name: string }>()
  #ended: { readonly name: string }[] = []
  #longest: Stall | undefined
  #hook: NodeJS.Immediate | undefined
  #busyUntil = 0
  #idleMs = 0

  /** `runs`: the phases of runs in progress. */
  constructor(runs: () => Iterable<string> = () => []) {
    this.#runs = runs
  }

  /** Stalls of the startup do not count. */
  start(): void {
    this.#note()
    this.#longest = undefined
    this.#arm()
  }

  /** The longest stall since the start; undefined: none was measured yet. */
  get longest(): Stall | undefined {
    return this.#longest
  }

  /** Names a request in progress until it is disposed. */
  track(name: string): Disposable {
    const request = { name }
    this.#requests.add(request)
    return { [Symbol.dispose]: () => void this.#ended.push(request) }
  }

  check(): Check {
    if (this.#longest === undefined) return ok('event loop', 'not measured yet')
    const { ms, at, during } = this.#longest
    const cause = during === '' ? '' : `, during ${during}`
    const message = `longest stall: ${Math.round(ms)} ms, at ${timeText(at)}${cause}`
    if (ms < 10 * aimMs) return ok('event loop', message)
    return warning(
      'event loop',
      message,
      'The agent answers nothing during a stall. Give it more CPU; if that does not help, report a bug.',
    )
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#hook)
  }

  #arm(): void {
    this.#hook = setImmediate(() => {
      this.#note()
      this.#arm()
    }).unref()
  }

  /**
   * The time since the last iteration, without the sleep of the loop. A request that ended in this iteration still
   * counts as in progress.
   */
  #note(): void {
    const now = performance.now()
    const { idle } = performance.eventLoopUtilization()
    const ms = now - this.#busyUntil - (idle - this.#idleMs)
    this.#busyUntil = now
    this.#idleMs = idle
    if (ms > (this.#longest?.ms ?? 0)) this.#longest = { ms, at: Date.now(), during: this.#inProgress() }
    for (const request of this.#ended) this.#requests.delete(request)
    if (this.#ended.length > 0) this.#ended = []
  }

  #inProgress(): string {
    const requests = [...this.#requests].map(({ name }) => name)
    const more = requests.length > mostNamed ? [`${requests.length - mostNamed} more requests`] : []
    const runs = counted([...this.#runs()].map((phase) => `a run (${phase})`))
    return [...requests.slice(0, mostNamed), ...more, ...runs].join(', ')
  }
}

/** Each name once: `a run (fetching) × 50`. */
function counted(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} × ${count}`))
}

// The Flux team's parser and printer, in a separate thread. Hostile text can keep it busy forever or crash it; then a
// new thread starts.
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { FluxError, type FluxFacts, type FluxPort } from '../kinds/kinds.js'
import { abortAfter } from '../../lib/async/abort-after.js'
import type { Json, JsonObject } from '../../model/json.js'
import { orAborted } from '../../lib/async/or-aborted.js'
import { mayPend, Pending } from '../../lib/async/pending.js'
import { WorkerThread } from '../../sandbox/worker-thread.js'
import { hidden, shown, unusedMarks, fluxMeaning, printCost } from './flux-tree.js'
import { TimeBudget, type TimeBudgetLimits } from './time-budget.js'
import { SyncThread } from '../../sandbox/sync-thread.js'

/**
 * Limits of one query. `work`: bytes times possible nesting, which bounds the tree. `print`: the cost of printing,
 * which doubles with each level.
 */
export const fluxLimits = { bytes: 64 * 1024, work: 2 ** 28, print: 100_000 }

/** After a timeout, later queries get less time. Slow queries together get ten seconds of each minute. */
const foregroundLimits = { firstMs: 5_000, afterTimeoutMs: 200, perMinuteMs: 10_000 }
/** Background parsing does not block the process, so a package with many long queries may take its time. */
const backgroundLimits = { firstMs: 5_000, afterTimeoutMs: 1_000, perMinuteMs: Number.POSITIVE_INFINITY }
const startMs = 10_000
const begin = { verb: 'begin', text: '' } as const
const library = { library: createRequire(import.meta.url).resolve('@influxdata/flux-lsp-node') }
/** Queries that crashed the thread or timed out are not retried for an hour. */
const remembered = { max: 1_000, ttl: 3_600_000 }
/** Cached results of `inspect`. */
const mostInspected = 20_000
/** Characters of cached answers, kept until the waiting caller asks again. */
const mostAnswered = 64 * 1024 * 1024

/**
 * `FluxPort` over `@influxdata/flux-lsp-node`, which is loaded with the first query. If the caller can be interrupted,
 * it is (`Pending`) until the answer is available; otherwise the process blocks while a query is parsed.
 */
export class FluxParser implements FluxPort, Disposable {
  readonly #budget: TimeBudget
  readonly #backgroundBudget: TimeBudget
  readonly #failed = new LRUCache<string, string>(remembered)
  readonly #inspected = new LRUCache<string, FluxFacts>({ max: mostInspected })
  readonly #answered = new LRUCache<string, FluxAnswer>({
    maxSize: mostAnswered,
    sizeCalculation: (answer) => ('text' in answer ? answer.text.length : 0) + 200,
  })
  readonly #pending = new Map<string, Promise<void>>()
  readonly #background = new WorkerThread<Question, Answer>({ program, data: library, memoryMb: 512 })
  #thread: SyncThread | undefined

  constructor(limits: Partial<TimeBudgetLimits> = {}) {
    this.#budget = new TimeBudget({ ...foregroundLimits, ...limits })
    this.#backgroundBudget = new TimeBudget({ ...backgroundLimits, ...limits })
  }

  inspect(text: string): FluxFacts {
    const digest = createHash('sha256').update(text).digest('base64')
    const known = this.#inspected.get(digest)
    if (known !== undefined) return known
    try {
      refuseLarge(text)
      const { wrong, line, ...facts } = JSON.parse(this.#ask('inspect', text)) as FluxFacts & { readonly line?: number }
      const answer =
        wrong === undefined ? facts : { ...facts, wrong: wrongWith({ wrong, ...(line === undefined ? {} : { line }) }) }
      this.#inspected.set(digest, answer)
      return answer
    } catch (error) {
      if (error instanceof FluxError) return { fields: 0, interpolates: false, notChecked: error.message }
      throw error
    }
  }

  parse(query: string): JsonObject {
    refuseLarge(query)
    return JSON.parse(this.#ask('parse', query)) as JsonObject
  }

  /** What is printed is read again, since it shall mean the same. It ends in one new line. */
  print(tree: JsonObject): string {
    if (printCost(tree) > fluxLimits.print) throw new FluxError('it is nested too deeply to be printed')
    const marks = unusedMarks(JSON.stringify(tree))
    const marked = JSON.stringify(tree, (_key, value: Json) => hidden(value, marks))
    const printed = shown(this.#ask('print', marked), marks).trimEnd() + '\n'
    if (fluxMeaning(this.parse(printed)) !== fluxMeaning(tree))
      throw new FluxError('it cannot be printed without changing what it means')
    return printed
  }

  [Symbol.dispose](): void {
    this.#endThread()
    this.#background[Symbol.dispose]()
  }

  #ask(verb: Question['verb'], text: string): string {
    const digest = createHash('sha256').update(`${verb} ${text}`).digest('base64')
    const failure = this.#failed.get(digest)
    if (failure !== undefined) throw new FluxError(failure)
    const known = this.#answered.get(digest)
    if (known !== undefined) return textOf(known)
    const inBackground = mayPend()
    const mayTakeMs = (inBackground ? this.#backgroundBudget : this.#budget).next()
    if (mayTakeMs === undefined) throw new FluxError('too many queries timed out; retry in a minute')
    const question = { verb, text }
    if (inBackground) throw new Pending(this.#once(digest, () => this.#askInBackground(digest, question, mayTakeMs)))
    const answer = this.#answer(question, mayTakeMs)
    if (isAnswered(answer)) return textOf(answer)
    this.#endThread()
    throw new FluxError(this.#fail(digest, answer, mayTakeMs))
  }

  /** Callers with the same question share one execution. */
  #once(digest: string, ask: () => Promise<void>): Promise<void> {
    const pending = this.#pending.get(digest) ?? ask().finally(() => this.#pending.delete(digest))
    this.#pending.set(digest, pending)
    return pending
  }

  async #askInBackground(digest: string, question: Question, mayTakeMs: number): Promise<void> {
    let began = performance.now()
    const answer = await this.#background
      .exclusively(async (ask) => {
        await orAborted(ask(begin), abortAfter(startMs))
        began = performance.now() // other questions may have been ahead
        const late = abortAfter(mayTakeMs)
        return orAborted(ask(question), late)
      }, new AbortController().signal)
      .catch(() => undefined)
    this.#backgroundBudget.spend(performance.now() - began, !isAnswered(answer))
    if (isAnswered(answer)) return void this.#answered.set(digest, answer)
    this.#background[Symbol.dispose]()
    this.#fail(digest, answer, mayTakeMs)
  }

  /** Caches why there is no answer. */
  #fail(digest: string, answer: Answer | undefined, mayTakeMs: number): string {
    const reason =
      answer === undefined
        ? `it took longer than ${mayTakeMs} ms to read or print`
        : 'it is nested too deeply, or too large'
    this.#failed.set(digest, reason)
    return reason
  }

  #endThread(): void {
    this.#thread?.end()
    this.#thread = undefined
  }

  /** The start of a new thread is not part of the question's time, but counts for the budget. */
  #answer(question: Question, mayTakeMs: number): Answer | undefined {
    const began = performance.now()
    this.#thread ??= begun()
    const answer = this.#thread.ask(question, mayTakeMs) as Answer | undefined
    this.#budget.spend(performance.now() - began, answer === undefined || 'broken' in answer)
    return answer
  }
}

/** A thread that has loaded the library. */
function begun(): SyncThread {
  const thread = new SyncThread(program, library)
  thread.ask(begin, startMs)
  return thread
}

interface Question {
  readonly verb: 'begin' | 'inspect' | 'parse' | 'print'
  readonly text: string
}

type FluxAnswer = { readonly text: string } | { readonly wrong: string; readonly line?: number }
type Answer = FluxAnswer | { readonly broken: true }

/**
 * Runs in the thread, without a console, so that nothing of a query is printed. Positions are kept, because the printer
 * preserves lines. Their source text is dropped, because it would repeat the query at each level, except for floats,
 * which the printer copies.
 */
const program = `
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = () => {}
let flux
const faultAt = (node, key, value) => {
  const line = node.location?.start?.line
  if (key === 'errors' && Array.isArray(value) && value.length > 0)
    return { wrong: String(value[0].msg ?? value[0]).slice(0, 200), line }
  if (key === 'type' && /^Bad/.test(value)) return { wrong: 'it is not a statement or expression', line }
}
const isField = ({ type, property }) => type === 'MemberExpression' && (property?.name ?? property?.value) === '_field'
const verbs = {
  begin: () => ({ text: '' }),
  inspect(text) {
    let wrong, fields = 0, interpolates = false
    JSON.stringify(flux.parse(text), function (key, value) {
      wrong ??= faultAt(this, key, value)
      if (key !== 'type') return key === 'location' ? undefined : value
      if (value === 'StringExpression') interpolates = true
      if (value === 'BinaryExpression' && this.right?.type === 'StringLiteral' && isField(this.left)) fields++
    })
    return { text: JSON.stringify({ ...wrong, fields, interpolates }) }
  },
  parse(text) {
    let wrong
    const tree = JSON.stringify(flux.parse(text), function (key, value) {
      wrong ??= faultAt(this, key, value)
      if (key === 'location') return this.type === 'FloatLiteral' ? value : { start: value.start, end: value.end }
      return value
    })
    return wrong ?? { text: tree }
  },
  print: (text) => ({ text: flux.format_from_js_file(JSON.parse(text)) }),
}
answer = ({ verb, text }) => {
  try {
    flux ??= require(data.library)
    return verbs[verb](text)
  } catch (error) {
    const isBroken = error instanceof WebAssembly.RuntimeError || error instanceof RangeError
    return isBroken ? { broken: true } : { wrong: String(error).slice(0, 200) }
  }
}
`

function isAnswered(answer: Answer | undefined): answer is FluxAnswer {
  return answer !== undefined && !('broken' in answer)
}

/** Errors: `FluxError`. */
function textOf(answer: FluxAnswer): string {
  if ('wrong' in answer) throw new FluxError(wrongWith(answer))
  return answer.text
}

function refuseLarge(query: string): void {
  const bytes = Buffer.byteLength(query)
  if (bytes > fluxLimits.bytes) throw new FluxError(`it has ${bytes} bytes, more than ${fluxLimits.bytes}`)
  if (/[\ud800-\udfff]/u.test(query)) throw new FluxError('it is not valid Unicode')
  const nesting = query.match(/\|>|[-+*/%^=<>.([{]|\b(?:and|or|not|if)\b/g)?.length ?? 0
  if (bytes * nesting > fluxLimits.work) throw new FluxError('it is too large')
}

function wrongWith({ wrong, line }: { readonly wrong: string; readonly line?: number }): string {
  return line === undefined ? wrong : `${wrong}, in line ${line}`
}

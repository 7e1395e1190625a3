// The Flux team's own parser and printer, in a thread of its own: hostile text keeps it busy for ever, or breaks it,
// and then another one begins.
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { FluxError, type FluxFacts, type FluxPort } from '../../kinds/influxdb/influxdb.js'
import { abortAfter } from '../../lib/abort-after.js'
import type { Json, JsonObject } from '../../model/json.js'
import { orAborted } from '../../lib/or-aborted.js'
import { mayPend, Pending } from '../../lib/pending.js'
import { WorkerThread } from '../worker-thread.js'
import { hidden, shown, unusedMarks, fluxMeaning, printCost } from './flux-tree.js'
import { TimeBudget, type TimeBudgetLimits } from './time-budget.js'
import { SyncThread } from '../sync-thread.js'

/**
 * Of one query. `work`: bytes times what may nest; the tree grows with it. `print`: what printing costs, which doubles
 * with each level.
 */
export const fluxLimits = { bytes: 64 * 1024, work: 2 ** 28, print: 100_000 }

/** After a query that was read in vain the others have less time, and all that are slow ten seconds of a minute. */
const patienceWithFlux = { firstMs: 5_000, afterTimeoutMs: 200, perMinuteMs: 10_000 }
/** While nobody stands still, a package of many long queries may take its time. */
const patienceAside = { firstMs: 5_000, afterTimeoutMs: 1_000, perMinuteMs: Number.POSITIVE_INFINITY }
const startMs = 10_000
const begin = { verb: 'begin', text: '' } as const
const library = { library: createRequire(import.meta.url).resolve('@influxdata/flux-lsp-node') }
/** Queries that broke the thread or took too long are not tried again for an hour. */
const remembered = { max: 1_000, ttl: 3_600_000 }
/** Texts of which is known what they are. */
const mostInspected = 20_000
/** Characters of answers that are kept until who waits for them asks again. */
const mostAnswered = 64 * 1024 * 1024

/**
 * `FluxPort` over `@influxdata/flux-lsp-node`, which is loaded with the first query that asks for it. Where it may, it
 * interrupts who asks until the answer is there (`Pending`); elsewhere the process stands still while a query is read.
 */
export class FluxParser implements FluxPort, Disposable {
  readonly #patience: TimeBudget
  readonly #patienceAside: TimeBudget
  readonly #failed = new LRUCache<string, string>(remembered)
  readonly #inspected = new LRUCache<string, FluxFacts>({ max: mostInspected })
  readonly #answered = new LRUCache<string, FluxAnswer>({
    maxSize: mostAnswered,
    sizeCalculation: (told) => ('text' in told ? told.text.length : 0) + 200,
  })
  readonly #asked = new Map<string, Promise<void>>()
  readonly #aside = new WorkerThread<Question, Answer>({ program, data: library, memoryMb: 512 })
  #thread: SyncThread | undefined

  constructor(patience: Partial<TimeBudgetLimits> = {}) {
    this.#patience = new TimeBudget({ ...patienceWithFlux, ...patience })
    this.#patienceAside = new TimeBudget({ ...patienceAside, ...patience })
  }

  inspect(text: string): FluxFacts {
    const digest = createHash('sha256').update(text).digest('base64')
    const known = this.#inspected.get(digest)
    if (known !== undefined) return known
    try {
      refuseLarge(text)
      const { wrong, line, ...facts } = JSON.parse(this.#ask('inspect', text)) as FluxFacts & { readonly line?: number }
      const told =
        wrong === undefined ? facts : { ...facts, wrong: wrongWith({ wrong, ...(line === undefined ? {} : { line }) }) }
      this.#inspected.set(digest, told)
      return told
    } catch (error) {
      if (error instanceof FluxError) return { fields: 0, interpolates: false, unread: error.message }
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
    this.#aside[Symbol.dispose]()
  }

  #ask(verb: Question['verb'], text: string): string {
    const digest = createHash('sha256').update(`${verb} ${text}`).digest('base64')
    const failure = this.#failed.get(digest)
    if (failure !== undefined) throw new FluxError(failure)
    const known = this.#answered.get(digest)
    if (known !== undefined) return textOf(known)
    const aside = mayPend()
    const mayTakeMs = (aside ? this.#patienceAside : this.#patience).next()
    if (mayTakeMs === undefined) throw new FluxError('too many queries took too long; try it again in a minute')
    const question = { verb, text }
    if (aside) throw new Pending(this.#once(digest, () => this.#askAside(digest, question, mayTakeMs)))
    const answer = this.#answer(question, mayTakeMs)
    if (isTold(answer)) return textOf(answer)
    this.#endThread()
    throw new FluxError(this.#fail(digest, answer, mayTakeMs))
  }

  /** The same question of several stacks is one. */
  #once(digest: string, ask: () => Promise<void>): Promise<void> {
    const asked = this.#asked.get(digest) ?? ask().finally(() => this.#asked.delete(digest))
    this.#asked.set(digest, asked)
    return asked
  }

  async #askAside(digest: string, question: Question, mayTakeMs: number): Promise<void> {
    let began = performance.now()
    const answer = await this.#aside
      .exclusively(async (ask) => {
        await orAborted(ask(begin), abortAfter(startMs))
        began = performance.now() // others may have been asked first
        const late = abortAfter(mayTakeMs)
        return orAborted(ask(question), late)
      }, new AbortController().signal)
      .catch(() => undefined)
    this.#patienceAside.spend(performance.now() - began, !isTold(answer))
    if (isTold(answer)) return void this.#answered.set(digest, answer)
    this.#aside[Symbol.dispose]()
    this.#fail(digest, answer, mayTakeMs)
  }

  /** Remembers why there is no answer. */
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

  /** The time that a new thread takes to begin is not that of the question, but it is waited for, and so it counts. */
  #answer(question: Question, mayTakeMs: number): Answer | undefined {
    const began = performance.now()
    this.#thread ??= begun()
    const answer = this.#thread.ask(question, mayTakeMs) as Answer | undefined
    this.#patience.spend(performance.now() - began, answer === undefined || 'broken' in answer)
    return answer
  }
}

/** A thread that has read the library. */
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

/** Runs in the thread: no console, so that nothing of a query is ever printed. Places are kept, since
 * the printer leaves lines where they were; not their text, which would repeat the query at each level, but that of
 * floats, which it prints. */
const program = `
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = () => {}
let flux
const faultAt = (node, key, value) => {
  const line = node.location?.start?.line
  if (key === 'errors' && Array.isArray(value) && value.length > 0) return { wrong: String(value[0].msg ?? value[0]).slice(0, 200), line }
  if (key === 'type' && /^Bad/.test(value)) return { wrong: 'it is no statement or expression', line }
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
    return error instanceof WebAssembly.RuntimeError || error instanceof RangeError ? { broken: true } : { wrong: String(error).slice(0, 200) }
  }
}
`

function isTold(answer: Answer | undefined): answer is FluxAnswer {
  return answer !== undefined && !('broken' in answer)
}

/** Errors: `FluxError`. */
function textOf(told: FluxAnswer): string {
  if ('wrong' in told) throw new FluxError(wrongWith(told))
  return told.text
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

// The Flux team's own parser and printer, in a thread of its own: hostile text keeps it busy for ever, or breaks it, and then another one begins.
import { createRequire } from 'node:module'
import { FluxError, type FluxPort } from '../kinds/influxdb/influxdb.js'
import type { Json, JsonObject } from '../model/json.js'
import { hidden, shown, unusedMarks } from './flux-marks.js'
import { essenceOf, printCost } from './flux-tree.js'
import { SyncThread } from './sync-thread.js'

/** Of one query. `work`: bytes times what may nest; the tree grows with it. `print`: what printing costs, which doubles with each level. */
export const fluxLimits = { bytes: 64 * 1024, work: 2 ** 28, print: 100_000, timeoutMs: 5_000 }

/** `FluxPort` over `@influxdata/flux-lsp-node`, which is loaded with the first query that asks for it. */
export class FluxParser implements FluxPort, Disposable {
  readonly #timeoutMs: number
  #thread: SyncThread | undefined

  constructor({ timeoutMs = fluxLimits.timeoutMs } = {}) {
    this.#timeoutMs = timeoutMs
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
    if (essenceOf(this.parse(printed)) !== essenceOf(tree)) throw new FluxError('it cannot be printed without changing what it means')
    return printed
  }

  [Symbol.dispose](): void {
    this.#thread?.end()
    this.#thread = undefined
  }

  #ask(verb: 'parse' | 'print', text: string): string {
    this.#thread ??= new SyncThread(program, { library: createRequire(import.meta.url).resolve('@influxdata/flux-lsp-node') })
    const answer = this.#thread.ask({ verb, text }, this.#timeoutMs) as Answer | undefined
    if (answer === undefined || 'broken' in answer) this[Symbol.dispose]()
    if (answer === undefined) throw new FluxError(`it took longer than ${this.#timeoutMs} ms to read or print`)
    if ('broken' in answer) throw new FluxError('it is nested too deeply, or too large')
    if ('wrong' in answer) throw new FluxError(wrongWith(answer))
    return answer.text
  }
}

type Answer = { readonly text: string } | { readonly wrong: string; readonly line?: number } | { readonly broken: true }

/** Runs in the thread: no console, so that nothing of a query is ever printed. Places are kept, since
 * the printer leaves lines where they were; not their text, which would repeat the query at each level, but that of floats, which it prints. */
const program = `
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = () => {}
let flux
const verbs = {
  parse(text) {
    let wrong
    const tree = JSON.stringify(flux.parse(text), function (key, value) {
      if (key === 'location') return this.type === 'FloatLiteral' ? value : { start: value.start, end: value.end }
      if (key === 'errors' && Array.isArray(value)) wrong ??= value.length > 0 ? { wrong: String(value[0].msg ?? value[0]), line: this.location?.start?.line } : undefined
      if (key === 'type' && /^Bad/.test(value)) wrong ??= { wrong: 'it is no statement or expression', line: this.location?.start?.line }
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

// The Flux of a task on a target: its query with its schedule as `option task`; and the query without it.
import type { JsonObject } from '../../../model/json.js'
import { asText } from '../../../model/scalar.js'
import { optionSpan, recordEntries } from '../flux/flux-words.js'

/** `every` or `cron`, and `offset` if there is one. */
export function taskSchedule(state: JsonObject): Readonly<Record<string, string>> {
  const [every, cron, offset] = ['every', 'cron', 'offset'].map((key) => asText(state[key]) ?? '')
  const period: Record<string, string> = every === '' ? { cron: cron! } : { every: every! }
  return offset === '' ? period : { ...period, offset: offset! }
}

/** As InfluxDB makes it of a package: imports, which Flux has first, then the option, then the rest of the query. */
export function taskFlux(state: JsonObject): string {
  const { cron, ...times } = taskSchedule(state)
  const entries = [
    `name: ${fluxText(asText(state['name']) ?? '')}`,
    ...(cron === undefined ? [] : [`cron: ${fluxText(cron)}`]),
    ...Object.entries(times).map(([key, value]) => `${key}: ${value}`),
  ]
  const { head, body } = splitImports(asText(state['query']) ?? '')
  return `${head === '' ? '' : `${head}\n\n`}option task = {${entries.join(', ')}}\n${body}`
}

/** The Flux without `option task`, exactly the query of which `taskFlux` or InfluxDB made it, but for outer blanks. */
export function taskQuery(flux: string): string {
  const option = optionSpan(flux, 'task')
  if (option === undefined) return flux.trim()
  const before = flux.slice(0, option.start).replace(/\n{1,2}$|[ \t]+$/, '')
  const after = flux.slice(option.end).replace(/^[ \t]*\n?/, '')
  const joint = before === '' || before.endsWith('\n') || after.startsWith('\n') ? '' : '\n'
  return (before + joint + after).trim()
}

/** Name and schedule that `option task` of the Flux sets, '' for absent ones; undefined: there is no such record. */
export function taskOption(flux: string): Readonly<Record<'name' | 'every' | 'cron' | 'offset', string>> | undefined {
  const option = optionSpan(flux, 'task')
  if (option === undefined) return undefined
  const entries = recordEntries(flux.slice(flux.indexOf('{', option.start), option.end))
  const [name, every, cron, offset] = ['name', 'every', 'cron', 'offset'].map((key) => textOfFlux(entries.get(key)))
  return { name: name!, every: every!, cron: cron!, offset: offset! }
}

/** `head`: '', or the imports with the package clause and the comments between them. `body` has its line breaks. */
function splitImports(query: string): { readonly head: string; readonly body: string } {
  const lines = query.split('\n')
  const isHead = (line: string): boolean => line.trim() === '' || /^\s*(?:\/\/|import\s|package\s)/.test(line)
  const end = lines.findIndex((line) => !isHead(line))
  const above = lines.slice(0, end < 0 ? lines.length : end)
  const last = above.findLastIndex((line) => /^\s*(?:import|package)\s/.test(line))
  const head = lines.slice(0, last + 1).join('\n')
  return last < 0 ? { head: '', body: `\n${query}` } : { head, body: query.slice(head.length) }
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' }

function fluxText(text: string): string {
  return `"${text.replace(/[\n\r\t"\\]|\$\{/g, (found) => escapes[found] ?? '\\${')}"`
}

const signs: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The value of a text of Flux; any other word stays. */
function textOfFlux(word = ''): string {
  if (!word.startsWith('"')) return word
  const text = word.slice(1, -1)
  return text.replace(/\\(x[\da-f]{2}|[^])/gi, (_escape, sign: string) =>
    sign.length === 1 ? (signs[sign] ?? sign) : String.fromCharCode(Number.parseInt(sign.slice(1), 16)),
  )
}

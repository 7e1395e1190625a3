// Flux syntax trees: the cost of printing one, its meaning, and texts that the printer would damage.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { FluxError } from '../kinds/kinds.js'

const deepest = 250

/** The printer tries each on one line first, with all its content: this doubles the cost for each level. */
const factors: Readonly<Record<string, number>> = {
  ObjectExpression: 2,
  ArrayExpression: 2,
  DictExpression: 2,
  FunctionExpression: 2,
  Block: 2,
}

/** The printing cost, proportional to the time. Errors: `FluxError` if the tree is too deep. */
export function printCost(tree: JsonObject): number {
  return costOf(tree, 1, 0)
}

function costOf(value: Json, factor: number, depth: number): number {
  if (depth > deepest) throw new FluxError('it is nested too deeply')
  if (Array.isArray(value)) return sumOf(value, factor, depth + 1)
  if (!isObject(value)) return 0
  const { type } = value
  const inner = factor * ((typeof type === 'string' && factors[type]) || 1)
  return inner + sumOf(Object.values({ ...value, location: null }), inner, depth + 1)
}

function sumOf(values: readonly Json[], factor: number, depth: number): number {
  let sum = 0
  for (const value of values) sum += costOf(value, factor, depth)
  return sum
}

const unread: ReadonlySet<string> = new Set(['comments', 'eof', 'location', 'metadata'])

/** The tree without comments, parentheses and metadata. Trees with the same meaning give the same text. */
export function fluxMeaning(tree: JsonObject): string {
  return JSON.stringify(tree, (key, value: Json) => (unread.has(key) ? undefined : withoutParentheses(value)))
}

function withoutParentheses(value: Json): Json {
  let inner = value
  while (isObject(inner) && inner['type'] === 'ParenExpression') inner = inner['expression'] ?? null
  return inner
}

// What the printer of Flux would spoil in a text: it escapes no `${`, which then begins code, and cuts blanks from the
// ends of lines. It never sees them: marks replace them while it prints.
interface Marks {
  /** As long as the final `\${`, so that lines break in the same places. */
  readonly code: string
  readonly blank: string
}

/** Private-use characters that the text does not contain. */
export function unusedMarks(text: string): Marks {
  const unused: string[] = []
  for (let code = 0xe000; unused.length < 2; code++)
    if (!text.includes(String.fromCharCode(code))) unused.push(String.fromCharCode(code))
  return { code: unused[0]!.repeat(3), blank: unused[1]! }
}

/** Replaces text that the printer would damage by marks. */
export function hidden(node: Json, { code, blank }: Marks): Json {
  if (!isObject(node) || typeof node['value'] !== 'string') return node
  if (node['type'] !== 'StringLiteral' && node['type'] !== 'TextPart') return node
  const value = node['value'].replaceAll('${', code).replaceAll(/ +(?=\n)/g, (blanks) => blank.repeat(blanks.length))
  return value === node['value'] ? node : { ...node, value }
}

/** Replaces the marks in the printed text. */
export function shown(printed: string, { code, blank }: Marks): string {
  return printed.replaceAll(code, '\\${').replaceAll(blank, ' ')
}

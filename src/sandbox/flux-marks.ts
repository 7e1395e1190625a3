// What the printer of Flux would spoil in a text: it escapes no `${`, which then begins code, and cuts blanks from the
// ends of lines. It never sees them: marks stand there while it prints.
import { isObject, type Json } from '../model/json.js'

interface Marks {
  /** As many characters as stand for `${` in the end, so that lines break where they would. */
  readonly code: string
  readonly blank: string
}

/** Characters of no meaning that the text has not. */
export function unusedMarks(text: string): Marks {
  const unused: string[] = []
  for (let code = 0xe000; unused.length < 2; code++)
    if (!text.includes(String.fromCharCode(code))) unused.push(String.fromCharCode(code))
  return { code: unused[0]!.repeat(3), blank: unused[1]! }
}

/** The node, with marks where it is a text that would be spoilt. */
export function hidden(node: Json, { code, blank }: Marks): Json {
  if (!isObject(node) || typeof node['value'] !== 'string') return node
  if (node['type'] !== 'StringLiteral' && node['type'] !== 'TextPart') return node
  const value = node['value'].replaceAll('${', code).replaceAll(/ +(?=\n)/g, (blanks) => blank.repeat(blanks.length))
  return value === node['value'] ? node : { ...node, value }
}

/** What was printed, with what the marks stand for. */
export function shown(printed: string, { code, blank }: Marks): string {
  return printed.replaceAll(code, '\\${').replaceAll(blank, ' ')
}

// A cheap check whether a query needs a parser at all. It never fails, even for a text that is not Flux.

/** True if the query sets this option at its top level: comments, texts and patterns do not count. */
export function setsOption(query: string, name: string): boolean {
  if (!query.includes('option')) return false
  let [before, here] = ['', '']
  for (const text of outerWords(query)) {
    if (before === 'option' && here === name && text === '=') return true
    before = here
    here = text
  }
  return false
}

/** Words, texts, patterns and signs outside all brackets. */
function* outerWords(query: string): Generator<string> {
  let depth = 0
  let operand = false
  for (let at = 0; at < query.length;) {
    const end = endOfWord(query, at, operand)
    const text = query.slice(at, end)
    at = end
    if (/^\s|^\/\//.test(text)) continue
    operand = /^[\w"}\])]|^\/./.test(text) && !notOperands.has(text)
    if ('([{'.includes(text)) depth++
    else if (')]}'.includes(text)) depth = Math.max(0, depth - 1)
    else if (depth === 0) yield text
  }
}

const notOperands: ReadonlySet<string> = new Set(['and', 'or', 'not', 'return', 'if', 'then', 'else', 'exists'])
const plain = /\s+|\/\/[^\n]*|[\p{L}\p{N}_]+|[=!<>]=|[=!]~|\|>|=>|<-|[^]/uy
const pattern = /\/(?:[^/\\\n]|\\.)+\//y

/** A slash begins a pattern unless an operand precedes it. */
function endOfWord(query: string, start: number, afterOperand: boolean): number {
  if (query[start] === '"') return endOfText(query, start)
  if (query[start] === '/' && query[start + 1] !== '/' && !afterOperand) {
    pattern.lastIndex = start
    if (pattern.test(query)) return pattern.lastIndex
  }
  plain.lastIndex = start
  return plain.test(query) ? plain.lastIndex : start + 1
}

/** The position after the closing quote. `${…}` in a text is code, which may contain texts. */
function endOfText(query: string, start: number): number {
  const open = ['"']
  let at = start + 1
  for (; at < query.length && open.length > 0; at++) {
    const sign = query[at]!
    const inText = open.at(-1) === '"'
    if (inText && sign === '\\') at++
    else if (inText && sign === '$' && query[at + 1] === '{') open.push(query[++at]!)
    else if ((inText && sign === '"') || (!inText && sign === '}')) open.pop()
    else if (!inText && (sign === '"' || sign === '{')) open.push(sign)
  }
  return Math.min(at, query.length)
}

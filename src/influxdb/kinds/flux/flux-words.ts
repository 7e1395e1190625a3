// A cheap check whether a query needs a parser at all. It never fails, even for a text that is not Flux.

/** True if the query sets this option at its top level: comments, texts and patterns do not count. */
export function setsOption(query: string, name: string): boolean {
  return findOption(query, name) !== undefined
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Where the query sets this option to a record; undefined: it does not. */
export function optionSpan(query: string, name: string): Span | undefined {
  const option = findOption(query, name)
  if (option === undefined) return undefined
  const value = outerWords(query, option.end)
  const [opening, closing] = [value.next().value, value.next().value]
  if (opening?.text !== '{' || closing?.text !== '}') return undefined
  return { start: option.start, end: closing.end }
}

/** The entries of a record as written, by key; texts keep their quotes. Entries that are no single word are absent. */
export function recordEntries(record: string): ReadonlyMap<string, string> {
  const words = [...outerWords(record.slice(1, -1))].map(({ text }) => text)
  const found = new Map<string, string>()
  for (const [at, word] of words.entries()) {
    const [key = '', value = ''] = [words[at - 1], words[at + 1]]
    const isEntry = word === ':' && [undefined, ','].includes(words[at - 2]) && [undefined, ','].includes(words[at + 2])
    if (isEntry) found.set(key.startsWith('"') ? key.slice(1, -1) : key, value)
  }
  return found
}

/** From the word `option` to the equals sign. */
function findOption(query: string, name: string): Span | undefined {
  if (!query.includes('option')) return undefined
  let before: Word | undefined
  let here: Word | undefined
  for (const word of outerWords(query)) {
    if (before?.text === 'option' && here?.text === name && word.text === '=')
      return { start: before.start, end: word.end }
    before = here
    here = word
  }
  return undefined
}

interface Word extends Span {
  readonly text: string
}

/** Words, texts, patterns, signs and brackets outside all brackets. */
function* outerWords(query: string, from = 0): Generator<Word, undefined> {
  let depth = 0
  let operand = false
  for (let at = from; at < query.length;) {
    const start = at
    const end = endOfWord(query, at, operand)
    const text = query.slice(at, end)
    at = end
    if (/^\s|^\/\//.test(text)) continue
    operand = /^[\w"}\])]|^\/./.test(text) && !notOperands.has(text)
    if (')]}'.includes(text)) depth = Math.max(0, depth - 1)
    if (depth === 0) yield { text, start, end }
    if ('([{'.includes(text)) depth++
  }
  return undefined
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

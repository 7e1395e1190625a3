// Scans a Jsonnet text like the lexer of its evaluator (libjsonnet 0.20, core/lexer.cpp): finds its imports, and what
// must be rewritten.
import { blockAt } from './jsonnet-block.js'

/** An import: `import 'a'`, `importstr "a"`, `importbin @'a'`. */
export interface Import {
  readonly how: 'import' | 'importstr' | 'importbin'
  /** The path as written. */
  readonly path: string
  /** The positions of the keyword and of the end of the path. */
  readonly start: number
  readonly end: number
}

/** Replaces the text from `start` to `end` by `code`, which has the same number of lines. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly code: string
}

/**
 * The scan of a text. After its edits and imports are replaced, it contains no comment, no import, and only plain
 * string literals.
 */
export interface ScannedText {
  readonly imports: readonly Import[]
  readonly edits: readonly Edit[]
}

/** A syntax error; `offset` starts at 0. */
export class JsonnetSyntaxError extends Error {
  readonly offset: number
  constructor(offset: number, reason: string) {
    super(reason)
    this.name = 'Unreadable'
    this.offset = offset
  }
}

/** Scans in one pass. Throws `JsonnetSyntaxError`. */
export function scanJsonnet(text: string): ScannedText {
  const end = text.indexOf('\0')
  if (end !== -1) throw new JsonnetSyntaxError(end, 'the text contains a NUL character')
  return new Scanner(text).scan()
}

const keywords: ReadonlySet<string> = new Set(['import', 'importstr', 'importbin'])
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
/** Continuations that would make the path part of a larger expression. */
const goesOn = /[.[({+\-*/%&|^=<>!~]|in(?![A-Za-z0-9_])/y

class Scanner {
  readonly #text: string
  readonly #imports: Import[] = []
  readonly #edits: Edit[] = []
  readonly #open: { readonly at: number; readonly close: string }[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(): ScannedText {
    for (this.#skipBlanks(); this.#at < this.#text.length; this.#skipBlanks()) this.#token(this.#text[this.#at]!)
    const left = this.#open.at(-1)
    if (left !== undefined) throw new JsonnetSyntaxError(left.at, `the bracket ${this.#text[left.at]} is not closed`)
    return { imports: this.#imports, edits: this.#edits }
  }

  #token(character: string): void {
    if (/[A-Za-z_]/.test(character)) return this.#name()
    if (character === '"' || character === "'" || character === '@' || this.#text.startsWith('|||', this.#at))
      return void this.#string()
    if (character in closing) this.#open.push({ at: this.#at, close: closing[character]! })
    else if (/[)\]}]/.test(character)) this.#close(character)
    else if (!/[0-9,.;!$:~+\-&|^=<>*/%]/.test(character))
      throw new JsonnetSyntaxError(this.#at, 'this character is not valid Jsonnet')
    this.#at++
  }

  /** Brackets must match within the file, because it is placed in brackets in the program. */
  #close(character: string): void {
    if (this.#open.pop()?.close !== character)
      throw new JsonnetSyntaxError(this.#at, `the bracket ${character} has no opening bracket`)
  }

  #name(): void {
    const start = this.#at
    while (/[A-Za-z0-9_]/.test(this.#text[this.#at] ?? '')) this.#at++
    const name = this.#text.slice(start, this.#at)
    if (keywords.has(name)) this.#import(name as Import['how'], start)
  }

  #import(how: Import['how'], start: number): void {
    const before = this.#edits.length
    this.#skipBlanks()
    if (this.#text.startsWith('|||', this.#at))
      throw new JsonnetSyntaxError(this.#at, `${how} does not accept a text block`)
    const isText = /["'@]/.test(this.#text[this.#at] ?? '')
    if (!isText)
      throw new JsonnetSyntaxError(this.#at, `${how} requires a path in quotes: computed imports are not allowed`)
    const path = this.#string()
    const end = this.#at
    this.#edits.length = before // the import replaces them
    this.#skipBlanks()
    goesOn.lastIndex = this.#at
    if (goesOn.test(this.#text))
      throw new JsonnetSyntaxError(
        start,
        `${how} accepts only a path: put the import in brackets; computed imports are not allowed`,
      )
    this.#imports.push({ how, path, start, end })
  }

  /** The text between the quotes; escapes stay unchanged. */
  #string(): string {
    const start = this.#at
    const character = this.#text[start]!
    if (character === '|') return this.#block()
    if (character === '@') return this.#verbatim(this.#text[start + 1])
    for (this.#at++; this.#text[this.#at] !== character; this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at++
      if (this.#at >= this.#text.length)
        throw new JsonnetSyntaxError(start, 'the string that starts here has no closing quote')
    }
    return this.#text.slice(start + 1, this.#at++)
  }

  #verbatim(quote = ''): string {
    const start = this.#at
    if (quote !== '"' && quote !== "'") throw new JsonnetSyntaxError(start, 'a quote is missing after @')
    for (this.#at += 2; ; this.#at += 2) {
      const end = this.#text.indexOf(quote, this.#at)
      if (end === -1) throw new JsonnetSyntaxError(start, 'the string that starts here has no closing quote')
      this.#at = end
      if (this.#text[end + 1] !== quote) break
    }
    const value = this.#text.slice(start + 2, this.#at++).replaceAll(quote + quote, quote)
    this.#rewrite(start, JSON.stringify(value))
    return value
  }

  #block(): string {
    const start = this.#at
    const block = blockAt(this.#text, start)
    if ('fault' in block) throw new JsonnetSyntaxError(start, block.fault)
    this.#at = block.end
    this.#rewrite(start, JSON.stringify(block.value))
    return block.value
  }

  #skipBlanks(): void {
    for (;;) {
      const start = this.#at
      while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++
      const end = this.#commentEnd()
      if (end === undefined) return
      this.#at = end
      this.#rewrite(start, ' ')
    }
  }

  /** Undefined: no comment starts here. */
  #commentEnd(): number | undefined {
    const text = this.#text
    if (text.startsWith('/*', this.#at)) {
      const end = text.indexOf('*/', this.#at + 2)
      if (end === -1) throw new JsonnetSyntaxError(this.#at, 'the comment that starts here has no end')
      return end + 2
    }
    if (text[this.#at] !== '#' && !text.startsWith('//', this.#at)) return undefined
    const end = text.indexOf('\n', this.#at)
    return end === -1 ? text.length : end
  }

  /** Replaces the text from `start` to here by `code`, with the same number of lines. */
  #rewrite(start: number, code: string): void {
    const lines = this.#text.slice(start, this.#at).split('\n').length - 1
    this.#edits.push({ start, end: this.#at, code: code + '\n'.repeat(lines) })
  }
}

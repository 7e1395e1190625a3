// One Jsonnet text as its evaluator's lexer reads it (libjsonnet 0.20, core/lexer.cpp), for what it imports, and for
// what must be written otherwise.
import { blockAt } from './jsonnet-block.js'

/** What a text imports: `import 'a'`, `importstr "a"`, `importbin @'a'`. */
export interface Import {
  readonly how: 'import' | 'importstr' | 'importbin'
  /** As it is written. */
  readonly path: string
  /** Of the keyword and of what follows the path, in the text. */
  readonly start: number
  readonly end: number
}

/** What stands from `start` to `end` is written as `code`, which has as many lines. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly code: string
}

/**
 * What a text is made of. With its edits done and its imports replaced, it holds no comment, no import and no text but
 * in plain quotes.
 */
export interface ScannedText {
  readonly imports: readonly Import[]
  readonly edits: readonly Edit[]
}

/** Why a text cannot be read; `offset` from 0. */
export class JsonnetSyntaxError extends Error {
  readonly offset: number
  constructor(offset: number, reason: string) {
    super(reason)
    this.name = 'Unreadable'
    this.offset = offset
  }
}

/** In one pass. Throws `Unreadable`. */
export function scanJsonnet(text: string): ScannedText {
  const end = text.indexOf('\0')
  if (end !== -1) throw new JsonnetSyntaxError(end, 'a NUL character stands here')
  return new Scanner(text).scan()
}

const keywords: ReadonlySet<string> = new Set(['import', 'importstr', 'importbin'])
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
/** What would make a path a part of a larger expression. */
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
      throw new JsonnetSyntaxError(this.#at, 'no Jsonnet begins with this character')
    this.#at++
  }

  /** A file is put into brackets with others: its own must match. */
  #close(character: string): void {
    if (this.#open.pop()?.close !== character)
      throw new JsonnetSyntaxError(this.#at, `the bracket ${character} closes none`)
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
    if (this.#text.startsWith('|||', this.#at)) throw new JsonnetSyntaxError(this.#at, `${how} takes no text block`)
    const isText = /["'@]/.test(this.#text[this.#at] ?? '')
    if (!isText)
      throw new JsonnetSyntaxError(this.#at, `${how} takes a path in quotes: computed imports are not allowed`)
    const path = this.#string()
    const end = this.#at
    this.#edits.length = before // all of it is replaced
    this.#skipBlanks()
    goesOn.lastIndex = this.#at
    if (goesOn.test(this.#text))
      throw new JsonnetSyntaxError(
        start,
        `${how} takes a path and no more: put it into brackets, computed imports are not allowed`,
      )
    this.#imports.push({ how, path, start, end })
  }

  /** What stands between the quotes: escapes of plain ones as they are. */
  #string(): string {
    const start = this.#at
    const character = this.#text[start]!
    if (character === '|') return this.#block()
    if (character === '@') return this.#verbatim(this.#text[start + 1])
    for (this.#at++; this.#text[this.#at] !== character; this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at++
      if (this.#at >= this.#text.length)
        throw new JsonnetSyntaxError(start, 'the text that begins here has no closing quote')
    }
    return this.#text.slice(start + 1, this.#at++)
  }

  #verbatim(quote = ''): string {
    const start = this.#at
    if (quote !== '"' && quote !== "'") throw new JsonnetSyntaxError(start, 'after @ comes a quote')
    for (this.#at += 2; ; this.#at += 2) {
      const end = this.#text.indexOf(quote, this.#at)
      if (end === -1) throw new JsonnetSyntaxError(start, 'the text that begins here has no closing quote')
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

  /** Undefined: no comment begins here. */
  #commentEnd(): number | undefined {
    const text = this.#text
    if (text.startsWith('/*', this.#at)) {
      const end = text.indexOf('*/', this.#at + 2)
      if (end === -1) throw new JsonnetSyntaxError(this.#at, 'the comment that begins here has no end')
      return end + 2
    }
    if (text[this.#at] !== '#' && !text.startsWith('//', this.#at)) return undefined
    const end = text.indexOf('\n', this.#at)
    return end === -1 ? text.length : end
  }

  /** What stands from `start` to here is written as `code`, and ends at the same line. */
  #rewrite(start: number, code: string): void {
    const lines = this.#text.slice(start, this.#at).split('\n').length - 1
    this.#edits.push({ start, end: this.#at, code: code + '\n'.repeat(lines) })
  }
}

import { finish, type Steps } from '../lib/async/steps.js'
import { newMap, type Json } from '../model/json.js'
import { Positions } from './positions.js'
import {
  duplicateKey,
  jsonSyntax,
  keyTooLong,
  mostKeyCharacters,
  ParseError,
  syntaxError,
  tooDeep,
  tooManyValues,
} from './parse-error.js'

export interface JsonLimits {
  /** Depth of lists and maps. */
  readonly depth: number
  /** Values, including those in lists and maps. */
  readonly values: number
  /** True: a lone surrogate is an error. */
  readonly wellFormed?: boolean
}

export interface ParsedJson {
  readonly value: Json
  readonly positions: Positions
  /** The number of values. */
  readonly values: number
}

/**
 * Parses JSON (RFC 8259) with what JSON.parse lacks: positions (down to `levels`), errors of duplicate keys, limits.
 * Maps have null prototypes. Errors: `Unreadable`.
 */
export function parseJson(text: string, limits: JsonLimits, levels = 0): ParsedJson {
  return finish(parseJsonSteps(text, limits, levels))
}

/** The same, a step for each value and for each piece of a long string. */
export function parseJsonSteps(text: string, limits: JsonLimits, levels = 0): Steps<ParsedJson> {
  return new JsonText(text, limits, levels).read()
}

/** Characters of a string that are scanned in one step. */
const pieceCharacters = 64 * 1024

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** A list or map whose end is not read yet. `key`: of the entry that is being read; undefined: between two entries. */
type Open = {
  readonly positions: Positions | undefined
  key: string | number | undefined
} & ({ readonly end: ']'; readonly value: Json[] } | { readonly end: '}'; readonly value: Record<string, Json> })

class JsonText {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #levels: number
  /** The innermost one is the last. */
  readonly #open: Open[] = []
  #at = 0
  /** The end of the string that begins at `#at`, as far as it is scanned. */
  #scanned = 0
  #values = 0

  constructor(text: string, limits: JsonLimits, levels: number) {
    this.#text = text
    this.#limits = limits
    this.#levels = levels
  }

  *read(): Steps<ParsedJson> {
    try {
      this.#skipBlanks()
      const positions = new Positions(this.#at)
      for (let here: Positions | undefined = positions; ; here = this.#nextEntry()) {
        while (!this.#isScanned()) yield
        const value = this.#close(this.#begin(here))
        if (value !== undefined) return { value, positions, values: this.#values }
        yield
      }
    } catch (error) {
      throw error instanceof ParseError ? this.#withPath(error) : error
    }
  }

  /** Reads a value. undefined: a list or map with entries, which is open now. */
  #begin(here: Positions | undefined): Json | undefined {
    const { depth, values } = this.#limits
    if (this.#open.length > depth) throw tooDeep(this.#at, depth)
    if (++this.#values > values) throw tooManyValues(this.#at, values)
    const character = this.#text[this.#at]
    if (character === '{')
      return this.#opened({
        end: '}',
        value: newMap(),
        positions: here,
        key: undefined,
      })
    if (character === '[') return this.#opened({ end: ']', value: [], positions: here, key: undefined })
    if (character === '"') return this.#string()
    for (const [word, value] of words) if (this.#text.startsWith(word, this.#at)) return this.#word(word, value)
    return this.#number()
  }

  #opened(open: Open): Json | undefined {
    this.#at++
    if (this.#takesEnd(open.end)) return open.value
    this.#open.push(open)
    return undefined
  }

  /** Adds a value to the list or map around it, and closes what ends behind it. Returns the value of the whole text. */
  #close(value: Json | undefined): Json | undefined {
    let closed = value
    while (closed !== undefined) {
      this.#skipBlanks()
      const around = this.#open.at(-1)
      if (around === undefined) break
      if (around.end === ']') around.value.push(closed)
      else around.value[around.key!] = closed
      around.key = undefined
      if (this.#takesComma(around.end)) return undefined
      this.#open.pop()
      closed = around.value
    }
    if (closed !== undefined && this.#at < this.#text.length) throw this.#unexpected('the end of the text')
    return closed
  }

  /** Reads up to the value of the next entry. Returns its position. */
  #nextEntry(): Positions | undefined {
    const around = this.#open.at(-1)!
    this.#skipBlanks()
    const start = this.#at
    around.key = around.end === ']' ? around.value.length : this.#key(around)
    return this.#open.length <= this.#levels ? around.positions?.add(around.key, start) : undefined
  }

  #key({ value: map, positions }: Extract<Open, { readonly end: '}' }>): string {
    const start = this.#at
    if (this.#text[start] !== '"') throw this.#unexpected('a key in double quotes')
    const key = this.#string()
    if (key.length > mostKeyCharacters) throw keyTooLong(start)
    if (key in map) throw duplicateKey(start, key, positions?.get(key)?.offset).below(key)
    this.#skipBlanks()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('a colon')
    this.#at++
    this.#skipBlanks()
    return key
  }

  /** The error with the path to the entry that is being read. */
  #withPath(error: ParseError): ParseError {
    for (const { key } of this.#open.toReversed()) if (key !== undefined) error.below(key)
    return error
  }

  #string(): string {
    while (!this.#isScanned());
    const start = this.#at
    this.#at = this.#scanned + 1
    const written = this.#text.slice(start, this.#at)
    if (!written.includes('\\')) return written.slice(1, -1)
    const string = unescaped(written, start)
    if (this.#limits.wellFormed === true && !/^\P{Cs}*$/u.test(string))
      throw syntaxError(start, jsonSyntax.loneSurrogate)
    return string
  }

  /** Scans a piece of the string that begins here. False: its end is not found yet. */
  #isScanned(): boolean {
    const text = this.#text
    if (text[this.#at] !== '"') return true
    let at = Math.max(this.#scanned, this.#at + 1)
    for (const until = at + pieceCharacters; at < until; at++) {
      if (at >= text.length) throw syntaxError(this.#at, jsonSyntax.unclosedString)
      const code = text.charCodeAt(at)
      if (code === 0x22) break
      if (code < 0x20) throw syntaxError(at, jsonSyntax.controlCharacter)
      if (code === 0x5c) at++
    }
    this.#scanned = at
    return text[at] === '"'
  }

  #number(): Json {
    number.lastIndex = this.#at
    const written = number.exec(this.#text)?.[0]
    if (written === undefined) throw this.#unexpected('a value')
    const value = Number(written)
    if (!Number.isFinite(value)) throw syntaxError(this.#at, jsonSyntax.largeNumber(written))
    this.#at += written.length
    return value
  }

  #word(word: string, value: Json): Json {
    this.#at += word.length
    return value
  }

  #takesEnd(end: string): boolean {
    this.#skipBlanks()
    if (this.#text[this.#at] !== end) return false
    this.#at++
    return true
  }

  #takesComma(end: string): boolean {
    if (this.#takesEnd(end)) return false
    if (this.#text[this.#at] !== ',') throw this.#unexpected(`a comma or ${end}`)
    this.#at++
    return true
  }

  #skipBlanks(): void {
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    }
  }

  #unexpected(expected: string): ParseError {
    const found =
      this.#at < this.#text.length
        ? JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at)!))
        : 'the end of the text'
    return syntaxError(this.#at, jsonSyntax.expected(expected, found))
  }
}

function unescaped(written: string, offset: number): string {
  try {
    return JSON.parse(written) as string
  } catch {
    throw syntaxError(offset, jsonSyntax.badEscape)
  }
}

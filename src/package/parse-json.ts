import type { Json } from '../model/json.js'
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
  return new JsonText(text, limits, levels).read()
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

class JsonText {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #levels: number
  #at = 0
  #values = 0

  constructor(text: string, limits: JsonLimits, levels: number) {
    this.#text = text
    this.#limits = limits
    this.#levels = levels
  }

  read(): ParsedJson {
    this.#skipBlanks()
    const positions = new Positions(this.#at)
    const value = this.#value(positions, 0)
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text')
    return { value, positions, values: this.#values }
  }

  #value(here: Positions | undefined, level: number): Json {
    const { depth, values } = this.#limits
    if (level > depth) throw tooDeep(this.#at, depth)
    if (++this.#values > values) throw tooManyValues(this.#at, values)
    const value = this.#bare(here, level)
    this.#skipBlanks()
    return value
  }

  #entry(key: string | number, here: Positions | undefined, level: number): Json {
    try {
      return this.#value(here, level)
    } catch (error) {
      throw error instanceof ParseError ? error.below(key) : error
    }
  }

  #bare(here: Positions | undefined, level: number): Json {
    const character = this.#text[this.#at]
    if (character === '{') return this.#map(here, level)
    if (character === '[') return this.#list(here, level)
    if (character === '"') return this.#string()
    for (const [word, value] of words) if (this.#text.startsWith(word, this.#at)) return this.#word(word, value)
    return this.#number()
  }

  #map(here: Positions | undefined, level: number): Json {
    const map = Object.create(null) as Record<string, Json>
    this.#at++
    if (this.#takesEnd('}')) return map
    do {
      this.#skipBlanks()
      const start = this.#at
      const key = this.#key(map)
      map[key] = this.#entry(key, this.#below(here, level, key, start), level + 1)
    } while (this.#takesComma('}'))
    return map
  }

  #key(map: Readonly<Record<string, Json>>): string {
    const start = this.#at
    if (this.#text[start] !== '"') throw this.#unexpected('a key in double quotes')
    const key = this.#string()
    if (key.length > mostKeyCharacters) throw keyTooLong(start)
    if (key in map) throw duplicateKey(start, key).below(key)
    this.#skipBlanks()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('a colon')
    this.#at++
    this.#skipBlanks()
    return key
  }

  #list(here: Positions | undefined, level: number): Json {
    const list: Json[] = []
    this.#at++
    if (this.#takesEnd(']')) return list
    do {
      this.#skipBlanks()
      list.push(this.#entry(list.length, this.#below(here, level, list.length, this.#at), level + 1))
    } while (this.#takesComma(']'))
    return list
  }

  #below(here: Positions | undefined, level: number, key: string | number, offset: number): Positions | undefined {
    return level < this.#levels ? here?.add(key, offset) : undefined
  }

  #string(): string {
    const start = this.#at++
    let plain = true
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x22) break
      if (Number.isNaN(code)) throw syntaxError(start, jsonSyntax.unclosedString)
      if (code < 0x20) throw syntaxError(this.#at, jsonSyntax.controlCharacter)
      if (code === 0x5c) {
        plain = false
        this.#at++
      }
    }
    const written = this.#text.slice(start, ++this.#at)
    if (plain) return written.slice(1, -1)
    const text = unescaped(written, start)
    if (this.#limits.wellFormed === true && !/^\P{Cs}*$/u.test(text)) throw syntaxError(start, jsonSyntax.loneSurrogate)
    return text
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

import { pointerTo } from '../model/problem.js'
import type { Json } from '../model/json.js'
import { Unreadable } from './unreadable.js'

/** Told of every value: its path, and the offset of its key, or of itself where it has none. */
export type Mark = (pointer: string, offset: number) => void

/**
 * Reads one JSON text as RFC 8259 has it, with what JSON.parse leaves out: positions, duplicate keys, a limit on depth. Maps have null
 * prototypes. Throws `Unreadable`.
 */
export function parseJson(text: string, depth: number, mark?: Mark): Json {
  return new JsonText(text, depth, mark).read()
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

class JsonText {
  readonly #text: string
  readonly #depth: number
  readonly #mark: Mark | undefined
  #at = 0

  constructor(text: string, depth: number, mark: Mark | undefined) {
    this.#text = text
    this.#depth = depth
    this.#mark = mark
  }

  read(): Json {
    this.#skipBlanks()
    this.#mark?.('', this.#at)
    const value = this.#value('', this.#depth)
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text')
    return value
  }

  #value(pointer: string, depth: number): Json {
    if (depth < 0) throw new Unreadable('package/depth', this.#at, `it is nested deeper than ${this.#depth} levels`)
    const value = this.#bare(pointer, depth)
    this.#skipBlanks()
    return value
  }

  #bare(pointer: string, depth: number): Json {
    const character = this.#text[this.#at]
    if (character === '{') return this.#map(pointer, depth)
    if (character === '[') return this.#list(pointer, depth)
    if (character === '"') return this.#string()
    for (const [word, value] of words) if (this.#text.startsWith(word, this.#at)) return this.#word(word, value)
    return this.#number()
  }

  #map(pointer: string, depth: number): Json {
    const map = Object.create(null) as Record<string, Json>
    this.#at++
    if (this.#takesEnd('}')) return map
    do {
      this.#skipBlanks()
      const start = this.#at
      const key = this.#key(map)
      const below = this.#mark === undefined ? '' : pointerTo(pointer, key)
      this.#mark?.(below, start)
      map[key] = this.#value(below, depth - 1)
    } while (this.#takesComma('}'))
    return map
  }

  #key(map: Readonly<Record<string, Json>>): string {
    const start = this.#at
    if (this.#text[start] !== '"') throw this.#unexpected('a key in double quotes')
    const key = this.#string()
    if (key in map) throw new Unreadable('package/duplicate-key', start, `the key ${JSON.stringify(key)} stands twice in one map`)
    this.#skipBlanks()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('a colon')
    this.#at++
    this.#skipBlanks()
    return key
  }

  #list(pointer: string, depth: number): Json {
    const list: Json[] = []
    this.#at++
    if (this.#takesEnd(']')) return list
    do {
      this.#skipBlanks()
      const below = this.#mark === undefined ? '' : pointerTo(pointer, list.length)
      this.#mark?.(below, this.#at)
      list.push(this.#value(below, depth - 1))
    } while (this.#takesComma(']'))
    return list
  }

  #string(): string {
    const start = this.#at++
    let plain = true
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x22) break
      if (Number.isNaN(code)) throw new Unreadable('package/syntax', start, 'the text that begins here has no closing quote')
      if (code < 0x20) throw new Unreadable('package/syntax', this.#at, 'a control character or line break stands inside a text')
      if (code === 0x5c) {
        plain = false
        this.#at++
      }
    }
    const written = this.#text.slice(start, ++this.#at)
    return plain ? written.slice(1, -1) : unescaped(written, start)
  }

  #number(): Json {
    number.lastIndex = this.#at
    const written = number.exec(this.#text)?.[0]
    if (written === undefined) throw this.#unexpected('a value')
    const value = Number(written)
    if (!Number.isFinite(value)) throw new Unreadable('package/syntax', this.#at, `the number ${written.slice(0, 40)} is too large`)
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

  #unexpected(wanted: string): Unreadable {
    const found =
      this.#at < this.#text.length ? JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at)!)) : 'the end of the text'
    return new Unreadable('package/syntax', this.#at, `expected ${wanted}, found ${found}`)
  }
}

function unescaped(written: string, offset: number): string {
  try {
    return JSON.parse(written) as string
  } catch {
    throw new Unreadable('package/syntax', offset, 'the text that begins here has an escape that JSON does not know')
  }
}

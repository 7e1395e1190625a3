// Decodes percent-encoding, JSON and HTML escapes of a text, of any characters, mixed and nested.
import { htmlEntities } from './html-entities.js'

export interface DecodedText {
  readonly text: string
  /** The position of each unit of `text` in the encoded text, and of its end. */
  readonly starts: Uint32Array
}

/** A quick check. Bytes of UTF-8 that were read as Latin-1 count as encoded. */
export function isEncoded(text: string): boolean {
  return /[%\\&]|[\xc2-\xf4][\x80-\xbf]/.test(text)
}

/** Decodes repeatedly, in one pass: `%2573` and `\\u0073` give `s`. */
export function decodeText(text: string): DecodedText {
  const decoder = new Decoder(text.length)
  for (let at = 0; at < text.length; at++) decoder.push(text.charCodeAt(at), at)
  return decoder.finish(text.length)
}

/** The longest recognized escape: `&DiacriticalGrave;`, or a number with leading zeros. */
const longestEntity = 24
const longestSequence = 4

const [backslash, percent, ampersand, hash, semicolon, smallU, smallX] = Uint16Array.from('\\%&#;ux', (one) =>
  one.charCodeAt(0),
)
const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** The unit that a backslash escape means; 0: none. */
const unescaped = Uint16Array.from(
  { length: 128 },
  (_, unit) => simpleEscapes[String.fromCharCode(unit)]?.charCodeAt(0) ?? 0,
)
/** The value of a hexadecimal digit; 16 for any other unit. */
const digits = Uint8Array.from({ length: 128 }, (_, unit) => {
  const value = Number.parseInt(String.fromCharCode(unit), 16)
  return Number.isNaN(value) ? 16 : value
})

/** An escape at the end of a text, and its character. */
interface Escape {
  readonly length: number
  readonly code: number
}

/**
 * A stack of decoded units. Each new unit may complete an escape; its character replaces the escape and may complete
 * another one.
 */
class Decoder {
  readonly #units: Uint16Array
  readonly #starts: Uint32Array
  #length = 0

  constructor(most: number) {
    this.#units = new Uint16Array(most)
    this.#starts = new Uint32Array(most + 1)
  }

  push(unit: number, start: number): void {
    this.#put(unit, start)
    for (let escape = this.#escapeAtEnd(unit); escape !== undefined; escape = this.#escapeAtEnd(escape.code)) {
      this.#length -= escape.length
      this.#put(escape.code, this.#starts[this.#length]!)
    }
  }

  finish(end: number): DecodedText {
    this.#starts[this.#length] = end
    return { text: Buffer.from(this.#units.buffer, 0, this.#length * 2).toString('utf16le'), starts: this.#starts }
  }

  #put(code: number, start: number): void {
    if (code > 0xffff) {
      this.#put(0xd800 + ((code - 0x10000) >> 10), start)
      return this.#put(0xdc00 + (code & 0x3ff), start)
    }
    this.#units[this.#length] = code
    this.#starts[this.#length++] = start
  }

  #escapeAtEnd(last: number): Escape | undefined {
    if (last >= 0x80) return last < 0xc0 ? this.#sequenceAtEnd() : undefined
    if (last === semicolon) return this.#entityAtEnd()
    if (this.#back(2) === backslash && unescaped[last] !== 0) return { length: 2, code: unescaped[last]! }
    return digits[last] === 16 ? undefined : this.#hexAtEnd()
  }

  /** `%73`, `\x73`, `\u0073`, `%u0073`. */
  #hexAtEnd(): Escape | undefined {
    if (this.#back(3) === percent) return this.#hex(3, 2)
    if (this.#back(3) === smallX && this.#back(4) === backslash) return this.#hex(4, 2)
    if (this.#back(5) !== smallU) return undefined
    return this.#back(6) === backslash || this.#back(6) === percent ? this.#hex(6, 4) : undefined
  }

  #hex(length: number, count: number): Escape | undefined {
    let code = 0
    for (let places = count; places > 0; places--) {
      const digit = digits[this.#back(places)] ?? 16
      if (digit === 16) return undefined
      code = code * 16 + digit
    }
    return { length, code }
  }

  /** `&#115;`, `&#x73;`, `&amp;`. */
  #entityAtEnd(): Escape | undefined {
    let length = 2
    while (length < longestEntity && isEntityUnit(this.#back(length))) length++
    if (this.#back(length) !== ampersand || length < 4) return undefined
    const code = this.#back(length - 1) === hash ? this.#numberAtEnd(length - 2) : this.#nameAtEnd(length - 1)
    return code === undefined ? undefined : { length, code }
  }

  /** The number of an entity whose digits, or `x` and digits, start `first` places from the end. */
  #numberAtEnd(first: number): number | undefined {
    const isHex = (this.#back(first) | 0x20) === smallX
    const base = isHex ? 16 : 10
    const digitsFrom = isHex ? first - 1 : first
    if (digitsFrom < 2) return undefined
    let code = 0
    for (let places = digitsFrom; places > 1; places--) {
      const digit = digits[this.#back(places)] ?? base
      if (digit >= base) return undefined
      code = code * base + digit
    }
    return code <= 0x10ffff ? code : undefined
  }

  #nameAtEnd(first: number): number | undefined {
    const name = String.fromCharCode(...this.#units.subarray(this.#length - first, this.#length - 1))
    return htmlEntities.get(name.toLowerCase())
  }

  /** A character in UTF-8 bytes. */
  #sequenceAtEnd(): Escape | undefined {
    let length = 2
    while (length < longestSequence && isContinuation(this.#back(length))) length++
    const lead = this.#back(length)
    if (lengthOfSequence(lead) !== length) return undefined
    let code = lead & (0xff >> (length + 1))
    for (let places = length - 1; places > 0; places--) code = (code << 6) | (this.#back(places) & 0x3f)
    return code > 0x10ffff ? undefined : { length, code }
  }

  /** The unit `places` from the end; the last one is 1. */
  #back(places: number): number {
    return places > this.#length ? 0 : this.#units[this.#length - places]!
  }
}

function isEntityUnit(unit: number): boolean {
  return (
    unit === hash || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
  )
}

function isContinuation(unit: number): boolean {
  return unit >= 0x80 && unit < 0xc0
}

function lengthOfSequence(lead: number): number {
  if (lead >= 0xc2 && lead < 0xe0) return 2
  if (lead >= 0xe0 && lead < 0xf0) return 3
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0
}

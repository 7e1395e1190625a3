// Why and where a text cannot be parsed: the codes and the wording of all parsers.
import { quoted } from '../lib/text/printable.js'

/** Thrown by parsers, caught where the file is known; never leaves this room. */
export class ParseError extends Error {
  readonly code: string
  /** Offset in the text, from 0. */
  readonly offset: number
  readonly hint: string | undefined
  /** Of an error about two places: the offset of the first one. */
  readonly first: number | undefined
  readonly #path: (string | number)[] = []
  constructor(code: string, offset: number, reason: string, hint?: string, first?: number) {
    super(reason)
    this.name = 'ParseError'
    this.code = code
    this.offset = offset
    this.hint = hint
    this.first = first
  }

  /** The path of the invalid value, as far as the parser knows it. */
  get path(): readonly (string | number)[] {
    return this.#path.toReversed()
  }

  /** Adds a key to the path, for the parser of the value around it. */
  below(key: string | number): this {
    this.#path.push(key)
    return this
  }
}

/** Limits keys, because every problem below a key repeats it. */
export const mostKeyCharacters = 1_024

/** The reason that our YAML map tag gives js-yaml for a long key, by which `explained` recognizes it. */
export const longKey = `a key has more than ${mostKeyCharacters} characters`

export function keyTooLong(offset: number): ParseError {
  const hint = `Shorten it to at most ${mostKeyCharacters} characters.`
  return new ParseError('package/key-length', offset, longKey, hint)
}

export function tooManyValues(offset: number, most: number, counted = 'values'): ParseError {
  return new ParseError('package/too-large', offset, `it has more than ${most} ${counted}`, splitFile)
}

export function tooMuchMemory(): ParseError {
  return new ParseError('package/too-large', 0, 'reading it takes too much memory', splitFile)
}

const splitFile = 'Split it into several files.'

export function notUtf8(): ParseError {
  return new ParseError('package/encoding', 0, 'it is not UTF-8 text', 'Save it as UTF-8.')
}

/** `levels`: lists and maps that may be inside each other. */
export function tooDeep(offset: number, levels: number): ParseError {
  const hint = `Nest lists and maps at most ${levels} levels deep.`
  return new ParseError('package/depth', offset, `it is nested deeper than ${levels} levels`, hint)
}

/** `first`: the offset of the first of the two keys. */
export function duplicateKey(offset: number, key: string | undefined, first: number | undefined): ParseError {
  const reason = key === undefined ? 'duplicate key' : `duplicate key ${quoted(key)}`
  return new ParseError('package/duplicate-key', offset, reason, 'Remove one of the two.', first)
}

export function syntaxError(offset: number, reason: string, hint?: string): ParseError {
  return new ParseError('package/syntax', offset, reason, hint)
}

/** A YAML alias that cannot be expanded. */
export function aliasError(offset: number, reason: string, hint: string): ParseError {
  return new ParseError('package/alias', offset, reason, hint)
}

/** The reasons of JSON syntax errors. "Here" is the place of the error. */
export const jsonSyntax = {
  unclosedString: 'the string that begins here has no closing quote',
  controlCharacter: 'a string contains a control character or line break',
  loneSurrogate: 'an escape in the string that begins here is half of a character (a lone surrogate)',
  badEscape: 'the string that begins here has an invalid escape',
  largeNumber: (written: string) => `the number ${written.slice(0, 40)} is too large`,
  expected: (expected: string, found: string) => `expected ${expected}, found ${found}`,
} as const

/** Why and where a text cannot be parsed. Thrown by parsers, caught where the file is known; never leaves this room. */
export class ParseError extends Error {
  readonly code: string
  /** Offset in the text, from 0. */
  readonly offset: number
  readonly hint: string | undefined
  readonly #path: (string | number)[] = []
  constructor(code: string, offset: number, reason: string, hint?: string) {
    super(reason)
    this.name = 'Unreadable'
    this.code = code
    this.offset = offset
    this.hint = hint
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

/** As js-yaml is told it, and tells it back. */
export const longKey = `a key has more than ${mostKeyCharacters} characters`

export function keyTooLong(offset: number): ParseError {
  return new ParseError('package/key-length', offset, longKey)
}

export function tooManyValues(offset: number, most: number, counted = 'values'): ParseError {
  const hint = 'Split it into several files.'
  return new ParseError('package/too-large', offset, `it holds more than ${most} ${counted}`, hint)
}

/** Why a text cannot be read, and where. Thrown by the parsers, caught where the file is known; never leaves the room. */
export class Unreadable extends Error {
  readonly code: string
  /** In the text, from 0. */
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

  /** Of the value that it is about, as far as the parser says. */
  get path(): readonly (string | number)[] {
    return this.#path.toReversed()
  }

  /** The same, thrown on by the parser of what is around it. */
  below(key: string | number): this {
    this.#path.push(key)
    return this
  }
}

/** A key names a field, and stands in every problem of what is below it. */
export const mostKeyCharacters = 1_024

/** As js-yaml is told it, and tells it back. */
export const longKey = `a key has more than ${mostKeyCharacters} characters`

export function keyTooLong(offset: number): Unreadable {
  return new Unreadable('package/key-length', offset, longKey)
}

export function tooManyValues(offset: number, most: number): Unreadable {
  return new Unreadable('package/too-large', offset, `it holds more than ${most} values`, 'Split it into several files.')
}

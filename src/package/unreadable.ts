/** Why a text cannot be read, and where. Thrown by the parsers, caught where the file is known; never leaves the room. */
export class Unreadable extends Error {
  readonly code: string
  /** In the text, from 0. */
  readonly offset: number
  readonly hint: string | undefined
  constructor(code: string, offset: number, reason: string, hint?: string) {
    super(reason)
    this.name = 'Unreadable'
    this.code = code
    this.offset = offset
    this.hint = hint
  }
}

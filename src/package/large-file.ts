// A large file is parsed in another thread, because the parser cannot pause, and returned in pieces. Pure: the thread's
// messages are exchanged elsewhere.
import type { Steps } from '../lib/async/steps.js'
import { flatten, Unflattening, type FlatPiece } from './flat-entries.js'
import { PackageText, type Format } from './package-text.js'
import type { ParsedFile } from './parsed-cache.js'
import { ParseError } from './parse-error.js'
import type { YamlLimits } from './yaml-events.js'

/** `bytes`: a piece of the file, and others follow. `parse`: the last piece of the file. */
export type LargeQuestion =
  | { readonly ask: 'bytes'; readonly bytes: Uint8Array }
  | { readonly ask: 'parse'; readonly bytes: Uint8Array; readonly format: Format; readonly limits: YamlLimits }
  | { readonly ask: 'piece' }

export type LargeAnswer =
  | { readonly is: 'taken' }
  | { readonly is: 'parsed'; readonly values: number; readonly pieces: number }
  | { readonly is: 'piece'; readonly piece: FlatPiece }
  | {
      readonly is: 'unreadable'
      readonly code: string
      readonly offset: number
      readonly reason: string
      readonly hint: string | undefined
      readonly first: number | undefined
    }

/** Marks of a piece, which is copied and processed at once. */
const pieceMarks = 5_000

/** Bytes of a file that are copied to the other thread at once. */
const pieceBytes = 4 * 1024 * 1024

/** In the other thread: parses, and returns the result piece by piece. */
export class LargeFileParser {
  #bytes: Uint8Array[] = []
  #pieces: FlatPiece[] = []

  answer(question: LargeQuestion): LargeAnswer {
    if (question.ask === 'piece') return { is: 'piece', piece: this.#pieces.shift()! }
    this.#bytes.push(question.bytes)
    if (question.ask === 'bytes') return { is: 'taken' }
    try {
      const { format, limits } = question
      const text = new PackageText(Buffer.concat(this.#bytes), format, limits)
      this.#bytes = []
      const { entries, values } = text.parse()
      this.#pieces = [...flatten(text, entries, pieceMarks)]
      return { is: 'parsed', values, pieces: this.#pieces.length }
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      const { code, offset, message: reason, hint, first } = error
      return { is: 'unreadable', code, offset, reason, hint, first }
    }
  }
}

/** In this thread: asks for pieces until all have arrived. */
export class LargeFile {
  readonly #text: PackageText
  readonly #together = new Unflattening()
  #sent = 0
  #values = 0
  /** undefined: no answer yet. */
  #left: number | undefined
  #unreadable: ParseError | undefined

  constructor(text: PackageText) {
    this.#text = text
  }

  /** The next question; undefined: all pieces have arrived. */
  get question(): LargeQuestion | undefined {
    const { bytes, format, limits } = this.#text
    if (this.#left !== undefined) return this.#left > 0 ? { ask: 'piece' } : undefined
    const next = new Uint8Array(bytes.subarray(this.#sent, this.#sent + pieceBytes))
    const isLast = this.#sent + pieceBytes >= bytes.length
    return isLast ? { ask: 'parse', bytes: next, format, limits } : { ask: 'bytes', bytes: next }
  }

  get parsed(): ParsedFile | ParseError {
    return this.#unreadable ?? { entries: this.#together.entries, values: this.#values }
  }

  *take(answer: LargeAnswer): Steps<void> {
    if (answer.is === 'piece') {
      this.#left!--
      return yield* this.#together.take(answer.piece)
    }
    if (answer.is === 'taken') {
      this.#sent += pieceBytes
      return
    }
    this.#left = answer.is === 'parsed' ? answer.pieces : 0
    if (answer.is === 'parsed') this.#values = answer.values
    else this.#unreadable = new ParseError(answer.code, answer.offset, answer.reason, answer.hint, answer.first)
  }
}

// Entries of a file in a flat form, which threads exchange in small pieces: a large value is never copied at once.
import { newMap, type Json } from '../model/json.js'
import type { Steps } from '../lib/async/steps.js'
import type { PackageText } from './package-text.js'
import type { PackageEntry } from './parsed-cache.js'
import type { Positions } from './positions.js'

const [scalar, map, list, end] = [0, 1, 2, 3]

/** In the order of the text. */
export interface FlatPiece {
  /** The marks of the text: a scalar, the begin of a map or list, or the end of one. */
  readonly marks: Uint8Array
  /** For each mark but ends: its key in a map, and its value if it is a scalar. */
  readonly keys: readonly (string | null)[]
  readonly values: readonly Json[]
  /** For each mark but ends: its line. */
  readonly lines: Int32Array
  /** The entries that begin in this piece. */
  readonly heads: readonly Omit<PackageEntry, 'value' | 'lines'>[]
}

/** The pieces of a text's `entries`. */
export function flatten(text: PackageText, entries: readonly PackageEntry[], pieceMarks: number): readonly FlatPiece[] {
  const pieces = new Flattening(text, pieceMarks)
  for (const entry of entries) pieces.add(entry)
  return pieces.finished()
}

class Flattening {
  readonly #text: PackageText
  readonly #most: number
  readonly #pieces: FlatPiece[] = []
  #marks: number[] = []
  #keys: (string | null)[] = []
  #values: Json[] = []
  #lines: number[] = []
  #heads: Omit<PackageEntry, 'value'>[] = []

  constructor(text: PackageText, most: number) {
    this.#text = text
    this.#most = most
  }

  add({ value, ...head }: PackageEntry): void {
    this.#heads.push(head)
    this.#value(value, null, { here: this.#text.positionsOf(head), line: head.line })
  }

  finished(): readonly FlatPiece[] {
    this.#cut()
    return this.#pieces
  }

  /** A value without a place of its own, such as an alias's content, has the line of the value around it. */
  #value(
    value: Json,
    key: string | null,
    { here, line }: { readonly here: Positions | undefined; readonly line: number },
  ): void {
    const isNested = typeof value === 'object' && value !== null
    this.#mark(isNested ? (Array.isArray(value) ? list : map) : scalar)
    this.#keys.push(key)
    this.#values.push(isNested ? null : value)
    this.#lines.push(line)
    if (!isNested) return
    const isList = Array.isArray(value)
    for (const [name, one] of Object.entries(value as Readonly<Record<string, Json>>)) {
      const below = here?.get(name)
      this.#value(one, isList ? null : name, {
        here: below,
        line: below === undefined ? line : this.#text.position(below.offset).line,
      })
    }
    this.#mark(end)
  }

  #mark(mark: number): void {
    if (this.#marks.length >= this.#most) this.#cut()
    this.#marks.push(mark)
  }

  #cut(): void {
    if (this.#marks.length === 0) return
    this.#pieces.push({
      marks: Uint8Array.from(this.#marks),
      keys: this.#keys,
      values: this.#values,
      lines: Int32Array.from(this.#lines),
      heads: this.#heads,
    })
    this.#marks = []
    this.#keys = []
    this.#values = []
    this.#lines = []
    this.#heads = []
  }
}

interface Open {
  readonly into: Json[] | Record<string, Json>
  readonly at: number
}

/** Reassembles entries. */
export class Unflattening {
  readonly entries: PackageEntry[] = []
  readonly #open: Open[] = []
  #lines: number[] = []
  #ends: number[] = []

  #begin(head: Omit<PackageEntry, 'value' | 'lines'>, value: Json): void {
    this.#lines = []
    this.#ends = []
    this.entries.push({ ...head, value, lines: { lines: this.#lines, ends: this.#ends } })
  }

  /** Takes the next piece; a step for each thousand marks. */
  *take({ marks, keys, values, lines, heads }: FlatPiece): Steps<void> {
    let at = 0
    let head = 0
    for (const [count, mark] of marks.entries()) {
      if (count % 1_000 === 999) yield
      if (mark === end) this.#close()
      else {
        const value = mark === map ? newMap() : mark === list ? [] : values[at]!
        if (this.#open.length === 0) this.#begin(heads[head++]!, value)
        else this.#put(keys[at]!, value)
        this.#lines.push(lines[at]!)
        this.#ends.push(this.#lines.length)
        if (mark !== scalar) this.#open.push({ into: value as Open['into'], at: this.#lines.length - 1 })
        at++
      }
    }
  }

  #put(key: string | null, value: Json): void {
    const { into } = this.#open.at(-1)!
    if (Array.isArray(into)) into.push(value)
    else into[key!] = value
  }

  #close(): void {
    const { at } = this.#open.pop()!
    this.#ends[at] = this.#lines.length
  }
}

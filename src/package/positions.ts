import { pointerKeys } from '../lib/text/json-pointer.js'

/** The position of a value in its text, and of the values in it; in a map that of the key. List keys are indexes. */
export class Positions {
  readonly offset: number
  #below: Map<string, Positions> | undefined

  constructor(offset: number) {
    this.offset = offset
  }

  /** Adds the position of a value below. */
  add(key: string | number, offset: number): Positions {
    this.#below ??= new Map()
    const position = new Positions(offset)
    this.#below.set(String(key), position)
    return position
  }

  get(key: string | number): Positions | undefined {
    return this.#below?.get(String(key))
  }

  /** The offset of a pointer (RFC 6901), or of its longest existing part; undefined: not even its first step exists. */
  find(pointer: string): number | undefined {
    let at: Positions | undefined
    for (const key of pointerKeys(pointer)) {
      const next: Positions | undefined = (at ?? this).get(key)
      if (next === undefined) break
      at = next
    }
    return at?.offset
  }
}

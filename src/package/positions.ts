/** Where a value stands in its text, and what is in it: of a value in a map the place of its key. Keys of lists are their indexes. */
export class Positions {
  readonly offset: number
  #below: Map<string, Positions> | undefined

  constructor(offset: number) {
    this.offset = offset
  }

  /** Notes what is below. */
  add(key: string | number, offset: number): Positions {
    this.#below ??= new Map()
    const position = new Positions(offset)
    this.#below.set(String(key), position)
    return position
  }

  get(key: string | number): Positions | undefined {
    return this.#below?.get(String(key))
  }

  /** The offset that a pointer (RFC 6901) leads to, or of as far as it leads; undefined: not a step. */
  find(pointer: string): number | undefined {
    let at: Positions | undefined
    for (const token of pointer.split('/').slice(1)) {
      const next: Positions | undefined = (at ?? this).get(token.replaceAll('~1', '/').replaceAll('~0', '~'))
      if (next === undefined) break
      at = next
    }
    return at?.offset
  }
}

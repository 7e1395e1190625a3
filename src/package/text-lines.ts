/** Line and column, both from 1, of offsets into a text. A line ends with CR LF, LF or CR, as in YAML. */
export class TextLines {
  readonly #starts: number[] = [0]

  constructor(text: string) {
    for (const end of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(end.index + end[0].length)
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 }
  }
}

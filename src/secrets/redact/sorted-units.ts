// Texts as arrays of units, sorted: which of them begin at a place, in time that hardly grows with their number, also
// where all begin alike.

/** In order; a text that is there is there twice. */
export function addSorted(texts: readonly Uint16Array[], text: Uint16Array): readonly Uint16Array[] {
  return texts.toSpliced(placeOf(texts, text), 0, text)
}

export function removeSorted(texts: readonly Uint16Array[], text: Uint16Array): readonly Uint16Array[] {
  const at = placeOf(texts, text)
  return at < texts.length && compareUnits(texts[at]!, text) === 0 ? texts.toSpliced(at, 1) : texts
}

/** Of the first that is not before `text`: by halves. */
function placeOf(texts: readonly Uint16Array[], text: Uint16Array): number {
  let [from, to] = [0, texts.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareUnits(texts[middle]!, text) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** The length of the longest text that is at `start`, and of the longest beginning of any. */
export function matchLengths(
  texts: readonly Uint16Array[],
  units: Uint16Array,
  start: number,
): { readonly whole: number; readonly shared: number } {
  let [from, to] = [0, texts.length]
  let whole = 0
  for (let depth = 0; ; depth++) {
    while (from < to && texts[from]!.length === depth) {
      whole = depth
      from++
    }
    const unit = units[start + depth]
    if (unit === undefined || from === to) return { whole, shared: depth }
    if (texts[from]![depth] === unit && texts[to - 1]![depth] === unit) continue // as all between them
    from = firstFrom({ texts, from, to, depth }, unit)
    to = firstFrom({ texts, from, to, depth }, unit + 1)
    if (from === to) return { whole, shared: depth }
  }
}

interface Range {
  readonly texts: readonly Uint16Array[]
  readonly from: number
  readonly to: number
  readonly depth: number
}

/** The first text of a range whose unit at `depth` is at least `unit`: by halves. */
function firstFrom({ texts, from, to, depth }: Range, unit: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1
    if (texts[middle]![depth]! < unit) from = middle + 1
    else to = middle
  }
  return from
}

function compareUnits(a: Uint16Array, b: Uint16Array): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
  return a.length - b.length
}

// Sorted texts as arrays of UTF-16 units: finds which of them start at a position, in time that hardly grows with their
// number, even if all share a prefix.

/** Inserts a text in order; duplicates are kept. */
export function addSorted(texts: readonly Uint16Array[], text: Uint16Array): readonly Uint16Array[] {
  return texts.toSpliced(placeOf(texts, text), 0, text)
}

export function removeSorted(texts: readonly Uint16Array[], text: Uint16Array): readonly Uint16Array[] {
  const at = placeOf(texts, text)
  return at < texts.length && compareUnits(texts[at]!, text) === 0 ? texts.toSpliced(at, 1) : texts
}

/** The index of the first text that is not before `text`, by binary search. */
function placeOf(texts: readonly Uint16Array[], text: Uint16Array): number {
  let [from, to] = [0, texts.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareUnits(texts[middle]!, text) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** The length of the longest text at `start`, and of the longest matching prefix of any text. */
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

/** The first text of a range whose unit at `depth` is at least `unit`, by binary search. */
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

export interface DiffLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
}

/** For more pairs of lines than this, all old lines are removed and all new lines are added. */
const maximumPairs = 4_000_000

/**
 * The lines that differ between two texts, with `context` lines around them. A gap is one line `…`. undefined: there is
 * no text.
 */
export function diffLines(old: string | undefined, new_: string | undefined, context = 2): readonly DiffLine[] {
  const a = old?.split('\n') ?? []
  const b = new_?.split('\n') ?? []
  const all = a.length * b.length > maximumPairs ? replaceAll(a, b) : walk(a, b, commonLengths(a, b))
  return withContext(all, context)
}

function replaceAll(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  return [...a.map((text) => ({ sign: '-' as const, text })), ...b.map((text) => ({ sign: '+' as const, text }))]
}

/** `lengths[i][j]`: the length of the longest common subsequence of a from line i and b from line j. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
    }
  }
  return lengths
}

function walk(a: readonly string[], b: readonly string[], lengths: readonly Uint32Array[]): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i]! })
      i++
      j++
    } else if (j >= b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push({ sign: '-', text: a[i++]! })
    else lines.push({ sign: '+', text: b[j++]! })
  }
  return lines
}

function withContext(lines: readonly DiffLine[], context: number): readonly DiffLine[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some((line) => line.sign !== ' '),
  )
  return lines.flatMap((line, at) => {
    if (near[at]) return [line]
    return at === 0 || near[at - 1] ? [{ sign: ' ' as const, text: '…' }] : []
  })
}

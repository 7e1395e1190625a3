/**
 * The beginning of names that no text knows: `file_0_`, or the next number that is free. Each text is looked at once,
 * and the name stays short.
 */
export function unusedName(texts: Iterable<string>): string {
  const used = new Set<string>()
  for (const text of texts) for (const [, number = ''] of text.matchAll(/file_(\d+)_/g)) used.add(number)
  let free = 0
  while (used.has(String(free))) free++
  return `file_${free}_`
}

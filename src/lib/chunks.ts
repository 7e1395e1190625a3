/** The items in order, at most `size` at a time. */
export function* chunks<T>(items: readonly T[], size = 500): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

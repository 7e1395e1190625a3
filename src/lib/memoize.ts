/**
 * Caches a function. `work` must be pure; when it throws, nothing is cached. `most`: the size of the cache, which is
 * emptied when full.
 */
export function memoize<T>(most: number, work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined || known.has(text)) return found as T
    const made = work(text)
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}

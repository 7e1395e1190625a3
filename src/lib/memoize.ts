/**
 * Caches a function. `work` must be pure; when it throws, nothing is cached. `most`: the size of the cache, which is
 * emptied when full.
 */
export function memoize<T, Key = string>(most: number, work: (key: Key) => T): (key: Key) => T {
  const known = new Map<Key, T>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined || known.has(key)) return found as T
    const made = work(key)
    if (known.size >= most) known.clear()
    known.set(key, made)
    return made
  }
}

/** The same for objects that never change. A result is forgotten with its object. */
export function memoizeByObject<T, Key extends object>(work: (key: Key) => T): (key: Key) => T {
  const known = new WeakMap<Key, T>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined || known.has(key)) return found as T
    const made = work(key)
    known.set(key, made)
    return made
  }
}

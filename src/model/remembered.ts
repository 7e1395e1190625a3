/**
 * The same function, which works anew only for what it was not asked lately. `work` gives the same for the same text always; where it throws, nothing is
 * remembered. `most`: so many answers are kept; when there are more, all are forgotten.
 */
export function remembered<T>(most: number, work: (text: string) => T): (text: string) => T {
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

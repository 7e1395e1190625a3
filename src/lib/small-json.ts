// Which part of a large value is written in one step.

/** A list or map of fewer values is small. So many characters of a text count as one value more. */
const smallValues = 200
const valueCharacters = 100

type Entries = Readonly<Record<string, unknown>>

/** True if a list or map has few values and short texts, at any depth. It looks at no more than makes it large. */
export function isSmall(value: object): boolean {
  const left: unknown[] = [value]
  let room = smallValues
  for (; left.length > 0 && left.length <= room; room--) {
    const one = left.pop()
    if (typeof one === 'string') room -= one.length / valueCharacters
    else if (Array.isArray(one)) {
      if (one.length > room) return false
      left.push(...(one as unknown[]))
    } else if (typeof one === 'object' && one !== null) for (const key in one) left.push((one as Entries)[key])
  }
  return left.length === 0 && room >= 0
}

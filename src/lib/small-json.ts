// Which part of a large value is written in one step.

/** A list or map of fewer values is small. So many characters of a text count as one value more. */
const smallValues = 200
const valueCharacters = 100

type Entries = Readonly<Record<string, unknown>>

/** A map of JSON, and no object of a class. */
export function isPlain(value: unknown): value is Entries {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * True if a list or map has few values and short texts, at any depth. It looks at no more than makes it large. Bytes
 * are a value each; other objects of classes are one value.
 */
export function isSmall(value: object): boolean {
  const left: unknown[] = [value]
  let room = smallValues
  for (; left.length > 0 && left.length <= room; room--) {
    const one = left.pop()
    if (typeof one === 'string') room -= one.length / valueCharacters
    else if (Array.isArray(one)) {
      if (one.length > room) return false
      left.push(...(one as unknown[]))
    } else if (isPlain(one)) for (const key in one) if (left.push(one[key]) > room) return false
    if (ArrayBuffer.isView(one)) room -= one.byteLength
  }
  return left.length === 0 && room >= 0
}

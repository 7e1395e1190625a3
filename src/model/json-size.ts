/** How large a JSON text is, without reading it: a reader of deep JSON may run out of stack, and one of many values takes long. */
export interface JsonSize {
  /** Lists and maps in each other. */
  readonly nesting: number
  /** Values, those in lists and maps too; at most so many. */
  readonly values: number
}

const [quote, backslash, comma, openList, closeList, openMap, closeMap] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]

export function jsonSize(json: string): JsonSize {
  let nesting = 0
  let depth = 0
  let values = 1
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) at = endOfText(json, at)
    else if (code === comma) values++
    else if (code === openList || code === openMap) {
      values++
      nesting = Math.max(nesting, ++depth)
    } else if (code === closeList || code === closeMap) depth--
  }
  return { nesting, values }
}

function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  return json.length
}

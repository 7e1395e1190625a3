/** The size of a JSON text, measured without parsing: deep JSON may exhaust the stack, and many values take long. */
export interface JsonSize {
  /** Depth of lists and maps. */
  readonly nesting: number
  /** An upper bound of the values, including those in lists and maps. */
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

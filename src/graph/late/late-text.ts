// References in text: `$(ref.KIND/NAME.PATH)`. `$$(ref.` is the text `$(ref.` itself.
import { parseFieldPath } from '../../lib/text/field-path.js'
import type { Address } from '../../model/address.js'

export interface LateReference {
  readonly to: Address
  readonly output: string
  /** As written. */
  readonly text: string
}

/** Text, and references in it, in their order. */
export type LateText = readonly (string | LateReference)[]

const opening = '$(ref.'

/** The parts of a text; 'plain': it has no reference and no escape; a string: the malformed reference. */
export function parseLateText(text: string): LateText | 'plain' | { readonly malformed: string } {
  if (!text.includes(opening)) return 'plain'
  const parts: (string | LateReference)[] = []
  let from = 0
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, from)) {
    const isEscaped = start > from && text[start - 1] === '$'
    if (isEscaped) parts.push(text.slice(from, start - 1) + opening)
    else if (start > from) parts.push(text.slice(from, start))
    from = isEscaped ? start + opening.length : endOf(text, start + opening.length)
    if (isEscaped) continue
    const reference = from < 0 ? undefined : parseReference(text.slice(start, from))
    if (reference === undefined) return { malformed: from < 0 ? text.slice(start) : text.slice(start, from) }
    parts.push(reference)
  }
  return from < text.length ? [...parts, text.slice(from)] : parts
}

/** After the parenthesis that closes the reference; -1: none does. Those in brackets and quotes do not count. */
function endOf(text: string, start: number): number {
  let depth = 1
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const character = text[at]!
    if (quote !== '') {
      if (character === '\\') at++
      else if (character === quote) quote = ''
    } else if (character === '"') quote = character
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at + 1
  }
  return -1
}

function parseReference(text: string): LateReference | undefined {
  const match = /^([A-Za-z][\w.-]*\/[^.)\s]+)\.(.+)$/s.exec(text.slice(opening.length, -1))
  if (match === null) return undefined
  const [, to, output] = match as unknown as [string, string, string]
  const steps = parseFieldPath(output)
  return steps === undefined || steps.includes('any') ? undefined : { to: to as Address, output, text }
}

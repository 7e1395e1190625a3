// The forms in which a secret value turns up in decoded texts: as it is, and in hex and base64.
import { decodeText } from './decode-text.js'

/** Shorter values are not recognised: they would tear ordinary words apart. */
export const shortestSecret = 6

/** Of a value of several lines (a private key), each such line is recognised alone. */
const shortestLine = 16

/** Each at least `shortestSecret` characters long; upper and lower case are alike to who compares them. */
export function secretForms(value: string): readonly string[] {
  const lines = value.split(/\r?\n/)
  const parts =
    lines.length === 1 ? [] : lines.filter((line) => line.length >= shortestLine && !line.startsWith('-----'))
  const forms = new Set([value, ...parts].flatMap(formsOfText))
  return [...forms].filter((form) => form.length >= shortestSecret)
}

function formsOfText(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  return [
    text,
    decodeText(text).text,
    bytes.toString('hex'),
    ...base64Forms(bytes),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ]
}

/**
 * Of each of the three places that the value may begin at inside of other bytes: the characters that the value alone
 * decides.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const core = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

// The forms of a secret value in decoded texts: plain, hex and base64.
import { decodeText } from './decode-text.js'

/** Shorter values are not recognized: they would remove parts of ordinary words. */
export const shortestSecret = 6

/** In a value of several lines (a private key), each line of at least this length is recognized. */
const shortestLine = 16

/** The forms, each with at least `shortestSecret` characters. Callers compare them case-insensitively. */
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
 * Base64 for each of the three possible alignments within other bytes: only the characters that the value alone
 * determines.
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

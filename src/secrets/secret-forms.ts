// The forms in which a secret value turns up in texts: as it is, and as other programs encode or escape it.

/** Shorter values are not recognised: they would tear ordinary words apart. */
export const shortestSecret = 6

/** Of a value of several lines (a private key), each such line is recognised alone. */
const shortestLine = 16

/** Each at least `shortestSecret` characters long; upper and lower case are alike to who compares them. */
export function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/)
  const parts = lines.length === 1 ? [] : lines.filter((line) => line.length >= shortestLine && !line.startsWith('-----'))
  const forms = new Set([value, ...parts].flatMap(formsOfText))
  return [...forms].filter((form) => form.length >= shortestSecret)
}

function formsOfText(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const percent = encodeURIComponent(text)
  return [
    text,
    percent,
    encodeURIComponent(percent),
    percent.replaceAll('%20', '+'),
    percent.replaceAll(/[!'()*]/g, percentOf),
    percent.replaceAll('%2F', '/'),
    encodeURI(text),
    [...bytes].map((byte) => `%${hexOf(byte)}`).join(''),
    ...jsonForms(text),
    ...htmlForms(text),
    bytes.toString('hex'),
    ...base64Forms(bytes),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ]
}

function percentOf(character: string): string {
  return `%${hexOf(character.charCodeAt(0))}`
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

/** As `JSON.stringify` writes it, with escaped slashes, with all but ASCII escaped, and with what HTML uses escaped, too. */
function jsonForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replaceAll(/[^\x20-\x7e]/g, unicodeOf)
  return [json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll(/[<>&']/g, unicodeOf)]
}

function unicodeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

function htmlForms(text: string): readonly string[] {
  const escape = (of: (character: string) => string): string => text.replaceAll(/[&<>"']/g, of)
  const name = (character: string): string => named[character]!
  return [
    escape(name),
    escape((character) => (character === "'" ? '&#39;' : name(character))),
    escape((character) => (character === '"' ? '&#34;' : character === "'" ? '&#39;' : name(character))),
    escape((character) => (character === "'" ? '&#x27;' : name(character))),
  ]
}

/** Of each of the three places that the value may begin at inside of other bytes: the characters that the value alone decides. */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const core = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

// Escapes texts from outside (file names, names in packages, answers of servers) for terminals and messages.

// C0, DEL and C1 controls, marks of writing direction, line separators, byte order mark, tags, lone surrogates.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/gu

/** The text on one line. Control and bidirectional characters, line breaks and tabs are escaped: `\u202e`. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped)
}

// JSON does not escape C1 controls and bidirectional characters. Escaped they are the same JSON, safe on a terminal.
const hazardous = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g

/** The same JSON value without characters that a terminal could interpret. */
export function printableJson(json: string): string {
  return json.replaceAll(hazardous, (found) =>
    found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** The value in double quotes for a message: printable, and shortened to `most` characters. */
export function quoted(text: string, most = 80): string {
  const characters = Array.from(text.slice(0, 2 * most + 2))
  const shown = characters.length > most ? `${characters.slice(0, most).join('')}…` : text
  return `"${printable(shown)}"`
}

/** At most `most` characters of the text. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

/** Characters of an outside text in a message. */
export const mostShown = 200

/** An outside text for a message: control and bidirectional characters escaped, at most `most` characters. */
export function showText(text: string, most = mostShown): string {
  const escaped = text
    .trim()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
  return escaped.length > most ? `${escaped.slice(0, most)}…` : escaped
}

/** A URL for a message: without user information, query and fragment. */
export function showAddress(address: string): string {
  return showText(
    address
      .replace(/\/\/.*@/, '//')
      .replace(/^[^/@:]*:(?!\/\/).*@/s, '')
      .replace(/[?#].*$/s, ''),
  )
}

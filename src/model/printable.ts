// Whatever comes from outside (file names, names in packages, answers of servers) passes here before a person's terminal sees it.

// C0, DEL and C1 controls, marks and overrides of writing direction, separators that break a line, the byte order mark, tag characters, lone surrogates.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/gu

/** The text on one line, with control and bidirectional characters as `\u202e`, line breaks and tabs among them. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped)
}

// JSON leaves C1 controls and bidirectional characters as they are; escaped they are the same JSON, and harmless on a terminal.
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g

/** JSON text, the same value, without a character that a terminal could obey. */
export function printableJson(json: string): string {
  return json.replaceAll(unescaped, (found) => found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

/** In double quotes, printable, at most `most` characters of it: for a value inside a message. */
export function quoted(text: string, most = 80): string {
  const characters = Array.from(text.slice(0, 2 * most + 2))
  const shown = characters.length > most ? `${characters.slice(0, most).join('')}…` : text
  return `"${printable(shown)}"`
}

/** At most so many characters of it. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

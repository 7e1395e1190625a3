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

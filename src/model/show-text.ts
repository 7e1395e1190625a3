/** Characters of a text from outside in a message. */
export const mostShown = 200

/** Text from outside as a message may hold it: control and bidirectional characters escaped, at most `most` characters. */
export function showText(text: string, most = mostShown): string {
  const escaped = text.trim().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
  return escaped.length > most ? `${escaped.slice(0, most)}…` : escaped
}

/** An address as a message may hold it: without user information, query and fragment. */
export function showAddress(address: string): string {
  return showText(
    address
      .replace(/\/\/.*@/, '//')
      .replace(/^[^/@:]*:(?!\/\/).*@/s, '')
      .replace(/[?#].*$/s, ''),
  )
}

// The names of people and programs in the history: what is allowed, and how a header carries them.

/** Letters of every language, but no character that is invisible or controls a terminal or the direction of text. */
export const callerPattern =
  /^(?=[\p{L}\p{N}])(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N} ._@+\\-]){1,100}$/u

export const callerRule = 'up to 100 letters, digits, spaces and . _ @ + - \\'

/** For a header, which is ASCII: other characters as percent-encoded UTF-8. The name has no lone surrogates. */
export function encodeCaller(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent)
}

/** The name that a header carries; undefined: it is not an allowed name. */
export function decodeCaller(header: string): string | undefined {
  if (/[^\x20-\x7e]/.test(header)) return undefined
  const name = decoded(header)
  return name !== undefined && callerPattern.test(name) ? name : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

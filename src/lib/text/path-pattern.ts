// Patterns of paths: `*` is any part of a name, `?` one character, and `**` any number of folders.

/** True if the whole path matches. Takes at most (length of the pattern × length of the path) steps. */
export function matchesPath(pattern: string, path: string): boolean {
  return matches(pattern.split('/'), path.split('/'), '**', matchesName)
}

function matchesName(pattern: string, name: string): boolean {
  return matches(Array.from(pattern), Array.from(name), '*', (one, character) => one === '?' || one === character)
}

/** `many` in the pattern matches any number of items. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  many: string,
  isSame: (one: string, item: string) => boolean,
): boolean {
  let at = 0
  let next = 0
  let retry: { readonly at: number; readonly next: number } | undefined
  while (next < items.length) {
    const one = pattern[at]
    if (one === many) retry = { at: ++at, next }
    else if (one !== undefined && isSame(one, items[next]!)) [at, next] = [at + 1, next + 1]
    else if (retry !== undefined) {
      retry = { at: retry.at, next: retry.next + 1 }
      ;({ at, next } = retry)
    } else return false
  }
  return pattern.slice(at).every((one) => one === many)
}

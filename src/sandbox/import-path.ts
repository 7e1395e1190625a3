/** The file that an import names, or why the import is invalid. Imports never leave the package. */
export type Imported = { readonly file: string } | { readonly fault: string }

const mostCharacters = 1_024

/** `path` as it is written in `from`: below the folder of that file, with slashes, never out of the package. */
export function importedFile(path: string, from: string): Imported {
  if (path === '' || path.length > mostCharacters) return { fault: `has not 1 to ${mostCharacters} characters` }
  if (/[\\%:\p{Cc}\p{Cf}]/u.test(path))
    return { fault: 'holds a backslash, a percent sign, a colon or a control character' }
  if (path.startsWith('/')) return { fault: 'is absolute' }
  const parts = from.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return { fault: 'leaves the package' }
    if (part !== '' && part !== '.' && part !== '..') parts.push(part)
  }
  return { file: parts.join('/') }
}

import { scanJsonnet, JsonnetSyntaxError } from './jsonnet-text.js'

/** One file that another one imports. `isCode`: it may import more itself. */
export interface ImportedFile {
  readonly file: string
  readonly isCode: boolean
}

/**
 * What a file of a package imports below the package, whether it is there or not. Of a text that cannot be read:
 * nothing.
 */
export function jsonnetImports(text: string, from: string): readonly ImportedFile[] {
  try {
    return scanJsonnet(text).imports.flatMap(({ how, path }) => {
      const found = importedFile(path, from)
      return 'file' in found ? [{ file: found.file, isCode: how === 'import' }] : []
    })
  } catch (error) {
    if (error instanceof JsonnetSyntaxError) return []
    throw error
  }
}

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

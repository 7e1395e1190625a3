import { scanJsonnet, JsonnetSyntaxError } from './jsonnet-text.js'

/** A file that another file imports. `isCode`: it may import more files. */
export interface ImportedFile {
  readonly file: string
  readonly isCode: boolean
}

/** The imports of a package file, whether the imported files exist or not; none if the text cannot be read. */
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

/** The imported file, or why the import is invalid. Imports never leave the package. */
export type Imported = { readonly file: string } | { readonly fault: string }

const mostCharacters = 1_024

/** Resolves `path` relative to the folder of `from`, with slashes, inside the package. */
export function importedFile(path: string, from: string): Imported {
  if (path === '' || path.length > mostCharacters) return { fault: `must have 1 to ${mostCharacters} characters` }
  if (/[\\%:\p{Cc}\p{Cf}]/u.test(path))
    return { fault: 'contains a backslash, a percent sign, a colon or a control character' }
  if (path.startsWith('/')) return { fault: 'is absolute' }
  const parts = from.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return { fault: 'leaves the package' }
    if (part !== '' && part !== '.' && part !== '..') parts.push(part)
  }
  return { file: parts.join('/') }
}

import { importedFile } from './import-path.js'
import { scanJsonnet, Unreadable } from './jsonnet-text.js'

/** One file that another one imports. `isCode`: it may import more itself. */
export interface ImportedFile {
  readonly file: string
  readonly isCode: boolean
}

/**
 * What a file of a package imports below the package, whether it is there or not. Of a text that cannot be read:
 * nothing.
 */
export function importsOf(text: string, from: string): readonly ImportedFile[] {
  try {
    return scanJsonnet(text).imports.flatMap(({ how, path }) => {
      const found = importedFile(path, from)
      return 'file' in found ? [{ file: found.file, isCode: how === 'import' }] : []
    })
  } catch (error) {
    if (error instanceof Unreadable) return []
    throw error
  }
}

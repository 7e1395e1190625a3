// The inputs of a pushed package, as a sealed file of the package. Its name is hidden, so no source can provide such a
// file.
import type { Keyring } from '../../secrets/keyring.js'
import type { Skip } from '../../model/resources/inputs.js'
import { jsonDigest } from '../../plan/digest.js'
import type { PackageFileRow } from '../../store/file-table.js'

const name = '.gitmoorsupplied'

/** The content of the file. It contains the keys of secrets and their fingerprints, not their values. */
export interface StoredInputs {
  /** Sorted by key. */
  readonly values: readonly (readonly [key: string, value: string])[]
  /** Sorted by key. */
  readonly secrets: readonly (readonly [key: string, fingerprint: string])[]
  readonly skips: readonly Skip[]
  readonly allowEmpty: boolean
}

/** True for the file at the root of a source. */
export function isInputsFile(path: string): boolean {
  return path === name || path.endsWith(`/${name}`)
}

/** Its id is a fingerprint of the content and does not reveal it. */
export function sealInputs(text: StoredInputs, keyring: Keyring): PackageFileRow {
  const plain = JSON.stringify(text)
  return {
    path: name,
    id: `supplied-${keyring.fingerprint(jsonDigest(plain))}`,
    bytes: Buffer.from(keyring.seal(plain)),
  }
}

/** undefined: the package has no inputs. Errors: `Rejected`, if it was sealed with another key. */
export function openInputs(files: readonly PackageFileRow[], keyring: Keyring): StoredInputs | undefined {
  const file = files.find(({ path }) => isInputsFile(path))
  if (file === undefined) return undefined
  return JSON.parse(
    keyring.open(Buffer.from(file.bytes).toString('latin1') as Parameters<Keyring['open']>[0]),
  ) as StoredInputs
}

// What goes with a pushed package, as a file of that package: sealed, and under a name that no source can give, since
// it is hidden.
import type { Keyring } from '../../secrets/keyring.js'
import type { Skip } from '../../model/inputs.js'
import { jsonDigest } from '../../plan/digest.js'
import type { PackageFileRow } from '../../store/store.js'

const name = '.gitmoorsupplied'

/** What the file says. Of secrets it knows which there were, not their values. */
export interface StoredInputs {
  /** Sorted by key. */
  readonly values: readonly (readonly [key: string, value: string])[]
  /** Sorted by key. */
  readonly secrets: readonly (readonly [key: string, fingerprint: string])[]
  readonly skips: readonly Skip[]
  readonly allowEmpty: boolean
}

/** True of the file, at the root of each source that may have one. */
export function isInputsFile(path: string): boolean {
  return path === name || path.endsWith(`/${name}`)
}

/** Its id is the same only for the same contents, and tells nothing of them. */
export function sealInputs(text: StoredInputs, keyring: Keyring): PackageFileRow {
  const plain = JSON.stringify(text)
  return {
    path: name,
    id: `supplied-${keyring.fingerprint(jsonDigest(plain))}`,
    bytes: Buffer.from(keyring.seal(plain)),
  }
}

/** undefined: nothing goes with the package. Errors: `Rejected` where it was sealed with another key. */
export function openInputs(files: readonly PackageFileRow[], keyring: Keyring): StoredInputs | undefined {
  const file = files.find(({ path }) => isInputsFile(path))
  if (file === undefined) return undefined
  return JSON.parse(
    keyring.open(Buffer.from(file.bytes).toString('latin1') as Parameters<Keyring['open']>[0]),
  ) as StoredInputs
}

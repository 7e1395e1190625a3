// What the last drift check of a stack found, in a form of bounded size.
import type { Address } from '../address.js'
import type { NamedFieldChange } from './change.js'

/**
 * A resource that is not as applied. `missing`: the target no longer has it; `undeclared`: the package does not declare
 * it. `fields`: of a changed one, the first 100; `old` is the actual value, `new` the declared one.
 */
export interface DriftedResource {
  readonly address: Address
  readonly kind: string
  readonly displayName?: string
  readonly partOf?: Address
  readonly difference: 'missing' | 'changed' | 'undeclared'
  readonly fields: readonly DriftedField[]
}

/** `tooLong`: its values are not stored. */
export interface DriftedField extends NamedFieldChange {
  readonly tooLong?: true
}

/** `resources`: the first that fit. `shared`: fields of shared resources, which their owners correct; '': missing. */
export interface Drift {
  readonly resources: readonly DriftedResource[]
  readonly shared: readonly { readonly address: Address; readonly path: string }[]
}

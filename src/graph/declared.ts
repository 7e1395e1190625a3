import type { Address } from '../model/address.js'
import type { Document } from '../model/document.js'
import type { Kind } from '../model/kind.js'
import type { Problem } from '../model/problem.js'

/** What a document declares, before it is known whether all that it needs is there. `spec` is undefined where nothing could be read. */
export interface Declared {
  readonly address: Address
  readonly kind: Kind
  readonly document: Document
  readonly spec: unknown
  readonly partOf?: Address
  /** In error itself: checked as far as can be, but no resource. */
  spoilt: boolean
  needs: readonly Address[]
}

/** Everything a package declares. */
export interface Declarations {
  readonly all: readonly Declared[]
  /** What may be referred to: all resources but those whose display name is taken. */
  readonly byAddress: ReadonlyMap<Address, Declared>
  /** True also for what may not be referred to. */
  readonly isDeclared: (address: Address) => boolean
  readonly problems: readonly Problem[]
}

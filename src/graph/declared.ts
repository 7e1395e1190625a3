import type { Address } from '../model/address.js'
import type { Document } from '../model/resources/document.js'
import type { Edge } from '../model/resources/edge.js'
import type { Kind, Reference } from '../model/resources/kind.js'
import type { Meta } from '../model/resources/meta.js'
import type { Problem } from '../model/problem.js'

/** The declaration of a document, before its references are checked. `spec` is undefined if it could not be read. */
export interface Declared {
  readonly address: Address
  readonly kind: Kind
  readonly document: Document
  readonly spec: unknown
  readonly partOf?: Address
  readonly meta: Meta
  /** What `needs` of the document lists. */
  readonly needs: readonly Reference[]
  /** With errors it is still checked further, but it does not become a resource. */
  hasErrors: boolean
  edges: readonly Edge[]
}

/** All declarations of a package. */
export interface Declarations {
  readonly all: readonly Declared[]
  /** What may be referred to: all resources but those whose display name is taken. */
  readonly byAddress: ReadonlyMap<Address, Declared>
  /** True also for resources that may not be referred to. */
  readonly isDeclared: (address: Address) => boolean
  readonly problems: readonly Problem[]
}

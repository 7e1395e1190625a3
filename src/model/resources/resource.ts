import type { Address, Identity } from '../address.js'
import type { Change } from './change.js'
import type { Document } from './document.js'
import type { Edge } from './edge.js'
import type { JsonObject } from '../json.js'
import type { Kind } from './kind.js'
import type { Meta } from './meta.js'

/** One declared resource. `partOf`: the resource whose document declares it as a part. */
export interface Resource<Spec = any> {
  readonly address: Address
  readonly kind: Kind<Spec>
  readonly document: Document
  readonly spec: Spec
  /** What it comes after. */
  readonly edges: readonly Edge[]
  readonly meta: Meta
  readonly partOf?: Address
}

/** An existing resource. `actual` is complete: enough to recreate it. */
export interface Observed {
  readonly identity: Identity
  readonly actual: JsonObject
  /**
   * Fields that only the target sets, such as times; no secrets. Comparisons and writes ignore them, references may
   * name them.
   */
  readonly readOnly?: JsonObject
}

/** A resource that is as declared, for what refers to it. `outputs`: as `Observed.actual`, without plain secrets. */
export interface UnplannedResource {
  readonly identity: Identity
  readonly outputs: JsonObject
}

/** Ownership of one resource. Unique over (stack, address); over (target, family, identity) unless shared. */
export interface Owned {
  readonly address: Address
  readonly kind: string
  readonly identity: Identity
  /** The last applied declaration, normalized. */
  readonly applied: JsonObject
  readonly needs: readonly Address[]
  /** Why it needs each of them; absent: as in `Change`, or stored by an older version. */
  readonly edges?: readonly Edge[]
  readonly partOf?: Address
  readonly adopted: boolean
  /** Another stack owns it; this one declares it alike and only reads it. */
  readonly shared?: true
  /** Absent: not read, or applied by a version that did not store it. */
  readonly changed?: LastChange
}

/** An existing resource that a stack adopts. `kind`: a kind or a family. */
export interface Adoptee {
  readonly kind: string
  readonly id: string
  /** Absent, or the metaName of another resource of the stack: gitmoor chooses one. */
  readonly metaName?: string
}

/** The last completed change. `at`: milliseconds since the epoch. */
export interface LastChange extends Pick<Change, 'action' | 'reason' | 'adopts' | 'from'> {
  readonly run: string
  readonly at: number
  /** The first of the updated fields, as people see them (`Change.shown`); `fields` counts all. */
  readonly paths: readonly string[]
  readonly fields: number
}

/** What identifies a resource on its target. */
export interface ResourceIdentity {
  readonly family: string
  readonly identity: Identity
}

/** Another stack's ownership of a resource that this stack found. */
export interface Claim {
  readonly stack: string
  readonly stackName: string
  readonly owned: Owned
}

/** Other stacks by identity: the owner of a resource, and those that share it. */
export interface Claims {
  owner(family: string, identity: Identity): Claim | undefined
  sharers(family: string, identity: Identity): readonly Claim[]
}

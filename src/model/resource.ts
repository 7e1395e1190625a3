import type { Address, Identity } from './address.js'
import type { Change } from './change.js'
import type { Document } from './document.js'
import type { JsonObject } from './json.js'
import type { Kind } from './kind.js'

/** One thing that shall exist. `partOf`: the resource whose document declares it beside itself. */
export interface Resource<Spec = any> {
  readonly address: Address
  readonly kind: Kind<Spec>
  readonly document: Document
  readonly spec: Spec
  readonly needs: readonly Address[]
  readonly partOf?: Address
}

/** What is there. `live` is complete: enough to make it again. */
export interface Observed {
  readonly identity: Identity
  readonly live: JsonObject
  /** Fields that only the target sets, such as times. No plan, comparison or write reads them. */
  readonly readOnly?: JsonObject
}

/** A record of what a stack owns. Unique over (stack, address); over (target, family, identity) unless shared. */
export interface Owned {
  readonly address: Address
  readonly kind: string
  readonly identity: Identity
  /** What was declared when it was last applied, normalised. */
  readonly applied: JsonObject
  readonly needs: readonly Address[]
  readonly partOf?: Address
  readonly adopted: boolean
  /** Another stack owns it; this one declares it alike and only looks. */
  readonly shared?: true
  /** Absent: not asked for, or applied before this was recorded. */
  readonly changed?: LastChange
}

/** The last change that was carried out and stayed. `at`: milliseconds since the epoch. */
export interface LastChange extends Pick<Change, 'action' | 'reason' | 'adopts' | 'from'> {
  readonly run: string
  readonly at: number
  /** Where an update wrote; the first of them, `fields` counts all. */
  readonly paths: readonly string[]
  readonly fields: number
}

/** Another stack's record of a thing that this stack found. */
export interface Claim {
  readonly stack: string
  readonly stackName: string
  readonly owned: Owned
}

/** Who else, by identity: the other stack that owns a thing, and the others that share it. */
export interface Claims {
  owner(family: string, identity: Identity): Claim | undefined
  sharers(family: string, identity: Identity): readonly Claim[]
}

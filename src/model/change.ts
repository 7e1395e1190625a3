import type { Address, Identity } from './address.js'
import type { Json } from './json.js'

export interface FieldChange {
  /** `retentionRules[0].everySeconds`. */
  readonly path: string
  readonly old?: Json
  readonly new?: Json
}

/** Data that an update loses. */
export interface Loss {
  /** Of the field that causes it: `retentionRules[0].everySeconds`. */
  readonly path: string
  /** A sentence without its full stop: `points older than 1h0m0s are deleted (kept until now: 720h0m0s)`. */
  readonly message: string
}

/** One intended step. */
export interface Change {
  readonly address: Address
  readonly kind: string
  readonly identity?: Identity
  readonly action: 'create' | 'update' | 'remove' | 'forget'
  /** Update of what was nobody's. */
  readonly adopts?: true
  /** Update of what was ours under another address: a move. */
  readonly from?: Address
  /** Another stack owns it and declares it alike: only the record changes. */
  readonly shares?: true
  /** The name of the other stack that owned it and declares it differently: from now on that one shares it. */
  readonly takesFrom?: string
  /** An update without any: only the record changes. */
  readonly fields: readonly FieldChange[]
  /** A removal that deletes data, or an update with `losses`. */
  readonly losesData?: true
  readonly partOf?: Address
  /** Remove, or forget: goes before the writes, one of which takes its name or that of what it needs. */
  readonly first?: true
  // Not in the digest:
  /** Of an update: the first of them. */
  readonly losses?: readonly Loss[]
  readonly displayName?: string
  readonly reason: 'added' | 'edited' | 'drifted' | 'gone' | 'dropped' | 'uninstalled'
  /** For its record. */
  readonly needs: readonly Address[]
  /** Changes that must have ended: what it needs; whoever frees its name; for a removal, what needs it. */
  readonly after: readonly Address[]
}

export type Rule = 'deletions' | 'data-loss' | 'adoption' | 'approval' | 'protect'

export interface Hold {
  readonly rule: Rule
  readonly address?: Address
  readonly message: string
  /** No setting of the stack lets it pass: only an approval does. */
  readonly always?: true
}

/** The ordered changes: removals that free a name, writes, removals, removals that lose data. */
export interface Plan {
  readonly stack: string
  readonly target: string
  readonly revision: string
  readonly changes: readonly Change[]
  /** Resources, parts not counted, that are as declared. */
  readonly unchanged: number
  /** Fields that differ and are left as others have them (`ignore` of the stack); the first of them, not in the digest. */
  readonly ignored?: readonly { readonly address: Address; readonly path: string }[]
  /** Where shared things differ from what is declared: for their owners to put right; the first of them, not in the digest. '': it is gone. */
  readonly sharedDrift?: readonly { readonly address: Address; readonly path: string }[]
  /** What consent does not cover. Not empty: nothing is written until a person says so. */
  readonly held: readonly Hold[]
  /** sha256 of the canonical JSON of stack, target, revision and changes. */
  readonly digest: string
}

/** What a person approved, until the journal settles or the revision changes. */
export interface Consent {
  readonly revision: string
  /** `takes`: another stack owns it, and loses it. `loses`: the write loses data. */
  readonly changes: readonly {
    readonly address: Address
    readonly action: 'write' | 'remove'
    readonly takes?: true
    readonly loses?: true
  }[]
  readonly by: string
}

/** Resources created, updated, removed and unchanged; parts are not counted. */
export interface Counts {
  readonly create: number
  readonly update: number
  readonly remove: number
  readonly unchanged: number
}

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
  /** The field that causes the loss: `retentionRules[0].everySeconds`. */
  readonly path: string
  /** A sentence without its full stop: `points older than 1h0m0s are deleted (kept until now: 720h0m0s)`. */
  readonly message: string
}

/** One planned change of a resource. */
export interface Change {
  readonly address: Address
  readonly kind: string
  readonly identity?: Identity
  readonly action: 'create' | 'update' | 'remove' | 'untrack'
  /** An update of a resource that no stack owned. */
  readonly adopts?: true
  /** An update of a resource that this stack owned under another address: a move. */
  readonly from?: Address
  /** Another stack owns the resource and declares it alike: only ownership changes. */
  readonly shares?: true
  /** The stack that owned the resource and declares it differently. From now on that stack shares it. */
  readonly takesFrom?: string
  /** Empty for an update of ownership alone. */
  readonly fields: readonly FieldChange[]
  /** A removal that deletes data, or an update with `losses`. */
  readonly losesData?: true
  readonly partOf?: Address
  /** A removal before the writes, because a write takes its name or that of what it needs. */
  readonly first?: true
  // Not in the digest:
  /** Of an update: the first of them. */
  readonly losses?: readonly Loss[]
  readonly displayName?: string
  readonly reason: 'added' | 'edited' | 'drifted' | 'gone' | 'dropped' | 'uninstalled'
  /** Stored with ownership. */
  readonly needs: readonly Address[]
  /** Changes that must end first: those it needs, one that frees its name, and for a removal those that needed it. */
  readonly after: readonly Address[]
}

export type ApprovalRule = 'deletions' | 'data-loss' | 'adoption' | 'approval' | 'protect'

export interface ApprovalReason {
  readonly rule: ApprovalRule
  readonly address?: Address
  readonly message: string
  /** No setting of the stack allows it: it always needs approval. */
  readonly always?: true
}

/** The ordered changes: removals that free a name, writes, removals, removals that lose data. */
export interface Plan {
  readonly stack: string
  readonly target: string
  readonly revision: string
  readonly changes: readonly Change[]
  /** Resources without parts that are as declared. */
  readonly unchanged: number
  /** Fields that differ and are ignored (`ignore` of the stack). At most the first; not in the digest. */
  readonly ignored?: readonly { readonly address: Address; readonly path: string }[]
  /** Differences of shared resources, which their owners correct. At most the first; not in the digest. '': missing. */
  readonly sharedDrift?: readonly { readonly address: Address; readonly path: string }[]
  /** The rules that need approval and have none. If there are any, nothing is written. */
  readonly needsApproval: readonly ApprovalReason[]
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

import type { Address, Identity } from '../address.js'
import type { Edge } from './edge.js'
import { isObject, type Json } from '../json.js'

export interface FieldChange {
  /** `retentionRules[0].everySeconds`. */
  readonly path: string
  readonly old?: Json
  readonly new?: Json
}

/** An entry of a list with a name that people know it by: `charts[1]` is "Processor". */
export interface ListEntry {
  readonly path: string
  readonly name: string
}

/** A field change for people. `entries`: the named list entries that contain it, the outermost first. */
export interface NamedFieldChange extends FieldChange {
  readonly entries?: readonly ListEntry[]
}

/** What may name the entries of a list, the first that an entry has. */
const nameFields = ['name', 'key', 'fieldName', 'level'] as const

/** The name of a list entry; undefined: it has none. */
export function entryName(entry: Json): string | undefined {
  const names = isObject(entry) ? nameFields.map((field) => entry[field]) : []
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

/** Data that an update loses. */
export interface Loss {
  /** The field that causes the loss: `retentionRules[0].everySeconds`. */
  readonly path: string
  /** A sentence without its full stop: `points older than 1h0m0s are deleted (until now: kept 30d)`. */
  readonly message: string
}

/** At most so many losses of one update are listed. */
export const mostLosses = 20

/**
 * Why a change is planned. `added`, `edited`, `dropped`: the package changed; `drifted`, `gone`: the target did;
 * `uninstalled`: the stack is uninstalled; `rollback`, `unpin`, `veto`, `pin`: a decision of a person moved the stack
 * to another revision; `secret`, `value`: an input of the package changed.
 */
export const changeReasons = [
  'added',
  'edited',
  'drifted',
  'gone',
  'dropped',
  'uninstalled',
  'rollback',
  'unpin',
  'veto',
  'pin',
  'secret',
  'value',
] as const

export type ChangeReason = (typeof changeReasons)[number]

/** A decision of a person that moves a stack to another revision: about the stack, or about its channel. */
export const revisionDecisions = ['rollback', 'unpin', 'veto', 'pin'] as const satisfies readonly ChangeReason[]

export type RevisionDecision = (typeof revisionDecisions)[number]

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
  /** A removal of a resource that existed before its stack adopted it. */
  readonly adopted?: true
  readonly partOf?: Address
  /** A removal before the writes, because a write takes its name or that of what it needs. */
  readonly first?: true
  // Not in the digest:
  /** An update after the other writes: an undo cannot restore what it overwrites. */
  readonly last?: true
  /** Of a removal that loses data: what it deletes, after "its": `run history`. */
  readonly lost?: string
  /** Of an update: the first of them. */
  readonly losses?: readonly Loss[]
  /** Of an update: `fields` for people, with matched and named list entries. Absent: as `fields`. */
  readonly shown?: readonly NamedFieldChange[]
  readonly displayName?: string
  readonly reason: ChangeReason
  /** Stored with ownership. */
  readonly needs: readonly Address[]
  /** Why it needs each of them. Absent: it needs nothing, is a part, or is no longer declared. */
  readonly edges?: readonly Edge[]
  /** Time limit of calls that write the resource. Absent: `limits.driverCall`. */
  readonly timeoutMs?: number
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
  /** Of some resources of the stack only: it adopts and removes nothing, and changes no shared resource. */
  readonly partial?: true
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

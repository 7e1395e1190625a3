import type { Address, Identity } from './address.js'
import type { Loss } from './change.js'
import type { Document, EnvReference } from './document.js'
import { Unknown, type Json, type JsonObject } from './json.js'
import type { Checked, Finding } from './problem.js'

/** A value that another resource gives. `output` is 'id' unless said. */
export interface Reference {
  readonly to: Address
  readonly output?: string
  /** Goes after `to` where the package declares it, and does without it where not. */
  readonly optional?: true
  /** Where the document says so; absent: the document itself. */
  readonly pointer?: string
  /** Why the resource cannot go with one of that kind, and where its document says so; undefined: it can. */
  readonly refuses?: (kind: string) => (Finding & { readonly pointer: string }) | undefined
}

/** The value a reference stands for, or an Unknown leaf. `id` is the identity of what is there. */
export type Resolve = (reference: Reference) => Json

/** Of what is not there yet: all of it is known after apply. */
export const unknownYet: Resolve = ({ to, output = 'id' }) => new Unknown(to, output)

/** The metaName of what has this identity; undefined: it has none. */
export type NameOf = (family: string, identity: Identity) => string | undefined

/**
 * What a kind means. Pure. The *state* of a resource has one form on all platforms: `encode` gives it, and reading it
 * back gives at least that; a driver translates. See "The contract of a kind" in docs/design.md.
 */
// A list of kinds holds specs of many shapes; each kind knows its own, so `any` is the honest default here.
export interface Kind<Spec = any> {
  readonly kind: string
  readonly apiVersions: readonly string[]
  /** One identity space: 'Check' for both check kinds; its kinds share key and driver. */
  readonly family: string
  readonly onRemove: 'remove' | 'forget'
  /** Its removal deletes data: it needs consent and comes last. */
  readonly losesData?: boolean
  /** The target made it itself: where it is no longer declared, it is forgotten and stays. */
  belongsToTarget?(live: JsonObject): boolean
  /** The data that an update makes the target delete or refuse, field by field; empty: none. Both normalised. */
  losses?(live: JsonObject, desired: JsonObject): readonly Loss[]
  /**
   * After a failure that is undone, nothing of a higher group begins. Absent: a resource's group is its depth in the
   * graph of needs.
   */
  readonly group?: number
  /** undefined: spoilt, the problems say why. */
  decode(document: Document): Checked<Spec | undefined>
  references(spec: Spec): readonly Reference[]
  /** What a document declares beside itself. Their `name` is the parent's address, a slash, and their own name. */
  parts?(spec: Spec, document: Document): readonly Document[]
  /** What the target shall hold: only what the package declares, defaults written out. Called again with a better `resolve` when the step is done. */
  encode(spec: Spec, resolve: Resolve): JsonObject
  /** One canonical form of what is held (durations, order, Flux). Objects are open: what is not wanted is not managed. Lists are closed. */
  normalise(held: JsonObject): JsonObject
  /** Lists of what is held whose order says nothing: their entries say themselves where they stand. */
  readonly anyOrder?: readonly string[]
  /**
   * The desired state, adapted where it names what the existing resource stores itself: an endpoint's own secret, by
   * the key that the target gave it. `needs`: the resources declared beside it, which are not its own secret.
   */
  recognise?(held: JsonObject, there: { readonly identity: Identity; readonly live: JsonObject }, needs: readonly Address[]): JsonObject
  /** Unique on the target, of wanted and of live alike; adoption looks for it. Absent: never matched. undefined: not known yet. */
  key?(held: JsonObject): string | undefined
  /** Two resources of one package may have one key: the target decides whether both can exist. */
  readonly sharesNames?: boolean
  /** The name a person knows it by. */
  displayName?(held: JsonObject): string | undefined
  /** Beside `id`. */
  outputs?(live: JsonObject): JsonObject
  /**
   * What an author would write as `spec` to declare the state, without associations and empty fields; undefined if it
   * is of another kind of the family. `identity`: of the resource itself. `nameOf`: the metaName of a referenced resource.
   */
  declare?(held: JsonObject, nameOf: NameOf, identity: Identity): JsonObject | undefined
  /** What the document lets the person who applies it set, in the order of a summary. */
  envReferences?(spec: Spec): readonly EnvReference[]
  /** Of a part, which no author declares by itself: what must be there and is not, or is unknown or of another type. Others are checked by `decode`. */
  unfitFields?(held: JsonObject): readonly string[]
  /** Keys of the target's secret store that it names. */
  secretReferences?(spec: Spec): readonly string[]
}

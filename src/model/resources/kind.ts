import type { Address, Identity } from '../address.js'
import type { Loss } from './change.js'
import type { Document, EnvReference } from './document.js'
import { Unknown, type Json, type JsonObject } from '../json.js'
import type { Checked, Finding } from '../problem.js'

/** A value that another resource gives. */
export interface Reference {
  readonly to: Address
  /** `id` (the default), or a path of its actual state: `ports[0].number`. */
  readonly output?: string
  /** Goes after `to` if the package declares it; otherwise the reference is ignored. */
  readonly optional?: true
  /** The reference's place in the document; absent: the document itself. */
  readonly pointer?: string
  /** Why the resource cannot refer to one of that kind, and the place in its document; undefined: it can. */
  readonly refuses?: (kind: string) => (Finding & { readonly pointer: string }) | undefined
}

/**
 * The value of a reference, or an Unknown leaf. `id` is the identity of the existing resource. Errors: `InvalidPackage`
 * if the resource exists without the value.
 */
export type Resolve = (reference: Reference) => Json

/** For resources that do not exist yet: every output is known after the apply. */
export const unknownYet: Resolve = ({ to, output = 'id' }) => new Unknown(to, output)

/** The metaName of the resource with this identity; undefined: it has none. */
export type NameOf = (family: string, identity: Identity) => string | undefined

/** A resource by its display name. */
export interface NamedResource {
  readonly family: string
  readonly name: string
}

/** Facet of kinds whose documents are more than a kind, a name and a spec. */
export interface KindDocuments<Spec = any> {
  /** They may have `needs`, `meta`, and references in texts of `spec`. Absent: these are keys and texts like others. */
  readonly takesMeta?: true
  /** `Kind.decode` in steps, for documents that may be long. It may be repeated from its beginning. */
  decodeSteps?(document: Document): Generator<void, Checked<Spec | undefined>, void>
}

/** Facet of kinds whose resources have a key that is unique on the target: gitmoor adopts a resource by it. */
export interface KindMatching {
  /** undefined: unknown yet. */
  key(state: JsonObject): string | undefined
  /** Two resources of one package may have one key: the target decides whether both can exist. */
  readonly sharesNames?: true
}

/** Facet of kinds whose resources are not just removed, or contain data. */
export interface KindRemoval {
  /** What becomes of a resource that leaves the package. Default: 'remove'. */
  readonly onRemove?: 'remove' | 'untrack'
  /** Removing it deletes data: it needs approval and comes last. */
  readonly losesData?: true
  /** What a removal that loses data deletes, after "its": `run history`. Default: `data`. */
  readonly lost?: string
  /** The target made it itself: when it is no longer declared, it is untracked and stays. */
  belongsToTarget?(actual: JsonObject): boolean
  /** The data that an update makes the target delete or refuse, field by field. Both states are normalized. */
  losses?(actual: JsonObject, desired: JsonObject): readonly Loss[]
  /**
   * True if an update replaces a value that the target never shows: an undo cannot restore it. Both states are
   * normalized.
   */
  overwrites?(actual: JsonObject, desired: JsonObject): boolean
}

/** Facet of kinds whose documents declare others besides their own. */
export interface KindParts<Spec = any> {
  /** Their `name` is the parent's address, a slash, and a name. */
  documents(spec: Spec, document: Document): readonly Document[]
}

/** Facet of kinds that only other documents declare, and no author. */
export interface KindAsPart {
  /** Required fields that are absent, unknown or of another type. */
  invalidFields(state: JsonObject): readonly string[]
}

/** Facet of kinds whose states need more than `normalise` to be compared. */
export interface KindComparison {
  /** Lists of a state whose order has no effect, because their entries name their own positions. */
  readonly anyOrder: readonly string[]
}

/** Facet of kinds that a package may declare: how an author would write an existing resource. */
export interface KindAuthoring {
  /** The position in an export: a kind comes after the kinds that it refers to. Absent: after those that have one. */
  readonly rank?: number
  /**
   * What an author would write as `spec` to declare the state, without labels and empty fields; undefined if it is of
   * another kind of the family. `identity`: of the resource itself. `nameOf`: the metaName of a referenced resource.
   */
  declare(state: JsonObject, nameOf: NameOf, identity: Identity): JsonObject | undefined
  /** Resources that the state names without a reference, such as the variables of a query. */
  uses?(state: JsonObject): readonly NamedResource[]
}

/** Facet of kinds whose documents take values or secrets from the person who applies them. */
export interface KindInputs<Spec = any> {
  /** What the document lets the person who applies it set, in the order of a summary. */
  envReferences(spec: Spec): readonly EnvReference[]
  /** Keys of the target's secret store that the spec names. */
  secretReferences?(spec: Spec): readonly string[]
}

/** Facet of kinds whose states have secrets. */
export interface KindSecrets {
  /** The state as the target will have it: plain values of secret fields become secrets. */
  conceal(state: JsonObject): JsonObject
  /**
   * The desired state, adapted where it names what the existing resource stores itself: an endpoint's own secret, by
   * the key that the target gave it. `needs`: the resources declared beside it, which are not its own secret.
   */
  recognise(
    desired: JsonObject,
    there: { readonly identity: Identity; readonly actual: JsonObject },
    needs: readonly Address[],
  ): JsonObject
}

/** Facet of kinds whose target says whether a resource works. */
export interface KindHealth {
  /** Unhealthy ones do nothing, but nothing of them fails: people see them after resources that fail. */
  readonly isIdle?: true
  /** Why it does not work: one sentence without secrets. undefined: it works, or the target does not say. */
  unhealthy(there: { readonly actual: JsonObject; readonly readOnly?: JsonObject }): string | undefined
}

/** Facet of kinds whose changes belong together. */
export interface KindGrouping {
  /** After a failure that is undone, nothing of a higher group begins. Absent: the depth in the graph of needs. */
  readonly group?: number
}

/**
 * What a kind means. Pure. The *state* of a resource has one form on all platforms: `encode` gives it, and reading it
 * back gives at least that; a driver translates. Facets are for kinds that need them: the core asks for a facet, never
 * for the name of a kind. See "The contract of a kind" in docs/design.md.
 */
// A list of kinds holds specs of many shapes; each kind knows its own, so `any` is the honest default here.
export interface Kind<Spec = any> extends KindFacets<Spec> {
  readonly kind: string
  readonly apiVersions: readonly string[]
  /** One identity space: its kinds share key and driver. */
  readonly family: string
  /** undefined: it has errors, which are among the problems. */
  decode(document: Document): Checked<Spec | undefined>
  references(spec: Spec): readonly Reference[]
  /** The desired state: the declaration with defaults. Called again when an apply knows more references. */
  encode(spec: Spec, resolve: Resolve): JsonObject
  /** The canonical form of a state (durations, order). Other fields of objects are not managed; lists are. */
  normalise(state: JsonObject): JsonObject
  /** The name that people see. */
  displayName?(state: JsonObject): string | undefined
}

/** What only some kinds have. */
export interface KindFacets<Spec = any> {
  readonly documents?: KindDocuments<Spec>
  /** Absent: its resources are never matched. */
  readonly matching?: KindMatching
  /** Absent: a resource that leaves the package is removed, and no data is lost. */
  readonly removal?: KindRemoval
  readonly parts?: KindParts<Spec>
  readonly asPart?: KindAsPart
  readonly comparison?: KindComparison
  readonly grouping?: KindGrouping
  /** Absent: its resources are never unhealthy. */
  readonly health?: KindHealth
  readonly inputs?: KindInputs<Spec>
  readonly secrets?: KindSecrets
  /** Absent: its resources are not exported. */
  readonly authored?: KindAuthoring
}

/** The apiVersion of documents that kinds make for parts (`KindParts`). The graph refuses it in packages. */
export const partApiVersion = 'gitmoor/part'

/** The kind of an existing resource: kinds of different families may share a name. */
export type KindNamed = (kind: string, address: Address) => Kind | undefined

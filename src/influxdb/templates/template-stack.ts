// Template stacks and organisations: nouns of the InfluxDB API, which prints them in InfluxDB's form.
import type { Adoptee } from '../../model/resources/resource.js'
import type { OwnershipEvent, OwnershipEventResource } from '../../model/stacks/run.js'

/** `createdAt`: milliseconds since the epoch; `events`: the newest 500 at most, oldest first, at least one. */
export interface TemplateStackView {
  readonly id: string
  readonly orgID: string
  readonly createdAt: number
  readonly events: readonly TemplateStackEvent[]
}

export interface TemplateStackEvent extends Omit<OwnershipEvent, 'resources'> {
  readonly resources: readonly TemplateEventResource[]
}

export interface TemplateEventResource extends OwnershipEventResource {
  readonly apiVersion: string
}

export interface NewTemplateStack {
  readonly orgID: string
  /** May be empty, and several stacks may have the same. */
  readonly name: string
  readonly description: string
  readonly urls: readonly string[]
}

/** Absent fields stay. `untrack`: the stack gives up these resources; they stay on the target. */
export interface TemplateStackChange {
  readonly name?: string
  readonly description?: string
  readonly urls?: readonly string[]
  readonly adopt: readonly Adoptee[]
  readonly untrack: readonly Pick<Adoptee, 'kind' | 'id'>[]
}

/** One live system. `id`: 16 hex digits; `target`: the first declared target of it. */
export interface OrganisationView {
  readonly id: string
  readonly name: string
  readonly target: string
}

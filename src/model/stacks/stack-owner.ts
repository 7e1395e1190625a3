// Who declares the settings of a stack.

/** Requests, or an owner of several stacks. */
export type ManagedBy = 'api' | StackOwner

/** It declares several stacks, and keeps them as it declares them: the configuration file, or a fleet. */
export type StackOwner = 'file' | `fleet:${string}`

const fleetPrefix = 'fleet:'

export function fleetOwner(fleet: string): StackOwner {
  return `${fleetPrefix}${fleet}`
}

export function isOwner(by: string): by is StackOwner {
  return by === 'file' || by.startsWith(fleetPrefix)
}

/** The fleet that declares a stack, by its name; undefined: none does. */
export function fleetOf(managedBy: string): string | undefined {
  return managedBy.startsWith(fleetPrefix) ? managedBy.slice(fleetPrefix.length) : undefined
}

/** The fleet that gives a stack its directory; undefined: none. Stacks of a fleet of targets have a dot in the name. */
export function directoryFleetOf(stack: {
  readonly managedBy: string
  readonly spec: { readonly name: string }
}): string | undefined {
  return stack.spec.name.includes('.') ? undefined : fleetOf(stack.managedBy)
}

/** In sentences: `the configuration file`, `fleet boards`. */
export function ownerText(owner: StackOwner): string {
  return owner === 'file' ? 'the configuration file' : `fleet ${fleetOf(owner)}`
}

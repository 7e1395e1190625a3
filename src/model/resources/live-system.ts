/** A live system behind targets. `id`: 16 hex digits; `name`: its id on its platform. */
export interface LiveSystem {
  readonly id: string
  readonly platform: string
  readonly name: string
  /** The first target that is declared of it. */
  readonly target: string
}

/** The name of a live system, as it is stored: that of its platform, a slash, and its id there. */
export function liveSystemName(platform: string, id: string): string {
  return `${platform}/${id}`
}

/** The name of the platform of a live system. */
export function platformOf(system: string): string {
  return system.split('/', 1)[0]!
}

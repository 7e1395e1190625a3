// Roles: what a person may do. Every operation of the API declares the least one that it needs.

/** From the least to the most: each has what those before it have. */
export const roles = ['read', 'approve', 'admin'] as const

/**
 * `read`: what is stored, and plans of it. `approve`: decides what gitmoor applies and when, within the settings.
 * `admin`: settings, packages, single resources and secrets, also in previews: the agent reads what they name.
 */
export type Role = (typeof roles)[number]

/** `none`: anybody may call it: probes, and requests that prove themselves (sign-in, signed deliveries). */
export type NeededRole = Role | 'none'

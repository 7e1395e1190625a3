import type { Changes } from './events.js'

/** What is read of one stack. */
export const concernsStack =
  (name: string) =>
  ({ reset, more, stacks }: Changes): boolean =>
    reset || more || stacks.has(name)

/** Below /api/v1. */
export function stackUrl(name: string, more = ''): string {
  return `stacks/${encodeURIComponent(name)}${more}`
}

import { Refused } from '../model/errors.js'
import type { StackSpec } from '../model/stack.js'
import type { Platform } from '../platform/platform.js'

/** What only the platform of its target can say about a stack's settings. Errors: `Refused` usage. */
export function checkSettings({ ignore, protect }: StackSpec, { kinds, name }: Pick<Platform, 'kinds' | 'name'>): void {
  const families = [...new Set(kinds.map(({ family }) => family))]
  const named = [
    ...ignore.map(({ family }) => family),
    ...protect.map((pattern) => pattern.slice(0, pattern.indexOf('/'))),
  ]
  const unknown = named.find((family) => !families.includes(family))
  if (unknown === undefined) return
  throw new Refused('usage', `The platform ${name} knows no family ${unknown}.`, {
    code: 'stacks/family-unknown',
    hint: `In \`ignore\` and \`protect\` families are: ${families.join(', ')}.`,
  })
}

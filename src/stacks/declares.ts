import type { Address } from '../model/address.js'
import { Refused } from '../model/errors.js'
import type { Stack } from '../model/stack.js'
import { loadPackage } from './load-package.js'
import { revisionNow } from './source-parts.js'
import type { Desk } from './desk.js'
import { graphOf } from './sync.js'

/**
 * What a stack that follows a source takes in must be declared there, or its next sync would remove it again. Errors:
 * `Refused` conflict; those of the source and the package.
 */
export async function refuseUndeclared(
  stack: Stack,
  address: Address,
  { sync, released }: Pick<Desk, 'sync' | 'released'>,
  signal: AbortSignal,
): Promise<void> {
  if (stack.spec.sources.every(({ kind }) => kind === 'inline')) return
  const revision = stack.pinned?.revision ?? (await revisionNow(stack.spec, released, signal))
  const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, sync, signal)
  const { resources } = await graphOf(loaded, stack, sync, signal)
  if (resources.some((resource) => resource.address === address)) return
  throw new Refused(
    'conflict',
    `The package of ${stack.spec.name} does not declare ${address}: its next sync would remove what is adopted.`,
    {
      code: 'stacks/not-declared',
      hint: 'Declare it first, then adopt it.',
    },
  )
}

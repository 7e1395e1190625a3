// Values that are secrets: they would be stored and shown in plain text.
import { quoted } from '../../lib/printable.js'
import { Refused, SyncError } from '../../model/errors.js'
import type { Resource } from '../../model/resource.js'
import type { Context } from '../context.js'
import { loadPackage, type LoadableStack } from '../load-package/load-package.js'
import { packageGraph } from '../load-package/read-declared.js'
import { newestRevision } from '../plans/preview.js'
import type { StackWithInputs } from './inputs.js'
import { namedSecrets } from './secret-resources.js'

/**
 * Refuses new plain values of keys that the package uses as secrets. If there is no valid package now, nothing is known
 * and nothing is refused.
 */
export async function refusePlainValues(
  context: Context,
  stack: LoadableStack & StackWithInputs,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (keys.length === 0) return
  const read = async (): Promise<readonly Resource[]> => {
    const revision = await newestRevision(context, stack.spec, signal)
    const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, context.sync, signal)
    return (await packageGraph(loaded, stack, context.sync, signal)).resources
  }
  const resources = await read().catch((error: unknown) => {
    if (error instanceof SyncError) return []
    throw error
  })
  refusePlainSecrets(stack.spec.name, keys, resources)
}

function refusePlainSecrets(stack: string, keys: readonly string[], resources: readonly Resource[]): void {
  const credentials = resources.flatMap(({ kind, spec }) =>
    (kind.envReferences?.(spec) ?? []).flatMap(({ key, unlisted }) => (unlisted === true ? [key] : [])),
  )
  const secrets = new Set([...credentials, ...namedSecrets(resources)])
  const plain = keys.filter((key) => secrets.has(key))
  if (plain.length === 0) return
  const [first] = plain
  throw new Refused(
    'usage',
    `The package of ${stack} uses ${plain.map((key) => quoted(key)).join(', ')} as ${plain.length === 1 ? 'a secret' : 'secrets'}.`,
    {
      code: 'stacks/plain-secret',
      hint: `Pass a reference instead of the value: --secret ${first}=env:NAME or --secret ${first}=file:PATH.`,
    },
  )
}

// Values that are secrets: they would be stored and shown in plain text.
import { abortAfter } from '../../lib/async/abort-after.js'
import { quoted } from '../../lib/text/printable.js'
import { Refused, SyncError } from '../../model/errors.js'
import type { Resource } from '../../model/resources/resource.js'
import type { Context } from '../context.js'
import type { StackWithInputs } from '../inputs/inputs.js'
import { namedSecrets } from '../inputs/secret-resources.js'
import { loadPackage } from '../load-package/load-package.js'
import type { LoadableStack } from '../load-package/stored-package.js'
import { packageGraph } from '../load-package/read-declared.js'
import { newestRevision } from '../plans/preview.js'

const limitMs = 60_000

/**
 * Refuses new plain values of keys that the package uses as secrets. If there is no valid package within a minute,
 * nothing is known and nothing is refused.
 */
export async function refusePlainValues(
  context: Context,
  stack: LoadableStack & StackWithInputs,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const signal = abortAfter(limitMs)
  const read = async (): Promise<readonly Resource[]> => {
    const revision = await newestRevision(context, stack.spec, signal)
    const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, context.sync, signal)
    return (await packageGraph(loaded, stack, context.sync, signal)).resources
  }
  const resources = await read().catch((error: unknown) => {
    if (error instanceof SyncError || signal.aborted) return []
    throw error
  })
  refusePlainSecrets(stack.spec.name, keys, resources)
}

function refusePlainSecrets(stack: string, keys: readonly string[], resources: readonly Resource[]): void {
  const credentials = resources.flatMap(({ kind, spec }) =>
    (kind.inputs?.envReferences(spec) ?? []).flatMap(({ key, unlisted }) => (unlisted === true ? [key] : [])),
  )
  const secrets = new Set([...credentials, ...namedSecrets(resources)])
  const plain = keys.filter((key) => secrets.has(key))
  const [first] = plain
  if (first === undefined) return
  const keyTexts = plain.map((key) => quoted(key)).join(', ')
  const as = plain.length === 1 ? 'a secret' : 'secrets'
  throw new Refused('usage', `The package of ${stack} uses ${keyTexts} as ${as}.`, {
    code: 'stacks/plain-secret',
    hint: `Pass a reference instead of the value: --secret ${first}=env:NAME or --secret ${first}=file:PATH.`,
  })
}

// Values that are secrets: they would be stored and shown in plain text.
import { quoted } from '../../lib/printable.js'
import { Refused } from '../../model/errors.js'
import type { Resource } from '../../model/resource.js'
import { namedSecrets } from './secret-resources.js'

/** Refuses plain values of keys that the package uses as credentials or secrets. */
export function refusePlainSecrets(stack: string, keys: readonly string[], resources: readonly Resource[]): void {
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

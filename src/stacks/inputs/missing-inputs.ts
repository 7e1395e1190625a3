// Values and secrets that a package uses and that are not given. The apply continues.
import { quoted } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import type { Steps } from '../../lib/async/steps.js'
import type { Problem } from '../../model/problem.js'
import type { Resource } from '../../model/resources/resource.js'
import { addressOf } from '../../model/address.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import { callDriver } from '../../platform/call-driver.js'
import { missingSecretCode } from '../../status/run-warnings.js'
import { isGivenSecret, namedSecrets } from './secret-resources.js'
import type { Reached } from '../targets.js'

/**
 * Every env key without a given value, even if it has a default, sorted: `missingEnvRefs`. A step for each resource.
 */
export function* missingValues(resources: readonly Resource[]): Steps<readonly string[]> {
  const missing = new Set<string>()
  for (const { kind, spec } of resources) {
    yield
    for (const { key, value, mayBeMissing } of kind.inputs?.envReferences(spec) ?? [])
      if (value === undefined && mayBeMissing !== true) missing.add(key)
  }
  return [...missing].sort()
}

/** Keys of secrets that the package names and that are neither given nor on the target, sorted: `missingSecrets`. */
export async function missingSecrets(
  resources: readonly Resource[],
  { platform, connection, calling }: Reached,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const given = new Set(resources.filter(isGivenSecret).map(({ document }) => document.name))
  const open = [...namedSecrets(resources)].filter((key) => !given.has(key)).sort()
  const family = platform.secretStore?.family
  const kind = platform.kinds.find((one) => one.family === family)
  if (open.length === 0 || kind === undefined) return open
  const missing = open.map((key) => ({ address: addressOf(kind.family, key), key }))
  const there = await callDriver(
    `read ${kind.family}`,
    calling,
    (inner) => connection.driver(kind).read(missing, inner),
    signal,
  )
  return missing.filter(({ address }) => there.get(address)?.actual['value'] === undefined).map(({ key }) => key)
}

/** The same as warnings. */
export function missingSecretWarnings(
  { name, sources }: Pick<StackSpec, 'name' | 'sources'>,
  keys: readonly string[],
): readonly Problem[] {
  const isPushed = sources.some(({ kind }) => kind === 'inline')
  const push = (key: string): string =>
    isPushed ? `, or \`gitmoor stack push ${name} -f FILE --secret-file ${shellWord(`${key}=PATH`)}\`` : ''
  return keys.map((key) => ({
    severity: 'warning',
    code: missingSecretCode,
    message: `The package uses the secret ${quoted(key)}, which is neither on the target nor given.`,
    hint:
      `Set it: \`gitmoor stack set ${name} --secret ${shellWord(`${key}=env:VARIABLE`)}\`, or \`secrets\` of ` +
      `${name} in the configuration file${push(key)}.`,
  }))
}

// Checks of the configuration file across its sections, and against files and variables outside of it.
import { channelProblems } from './channel-policies.js'
import { connectionProblems } from './connections.js'
import { credentialProblems } from './credentials.js'
import { asMap, duplicateField, type RawMap } from './entry-problems.js'
import { signingKeyProblems } from './signing-keys.js'
import { cycleProblems, familyProblems, inputProblems } from './stack-references.js'
import { webhookProblems } from './webhooks.js'
import type { Problem } from '../model/problem.js'
import type { PlatformDescription } from '../platform/platform.js'
import type { ValueLookup } from '../secrets/resolve-value.js'
import { withResolvedAddresses } from '../settings/source-document.js'
import type { YamlFile } from '../settings/read-yaml.js'
import { withSuggestion } from '../settings/did-you-mean.js'

/** The raw value with absolute addresses of stacks. */
export function withResolvedStackAddresses(value: unknown, directory: string): unknown {
  const stacks = asMap(value)['stacks']
  return Array.isArray(stacks)
    ? { ...asMap(value), stacks: stacks.map((stack: unknown) => withResolvedAddresses(stack, directory)) }
    : value
}

/** Problems across sections. It reads the raw values, so it also works if the schema found problems. */
export function crossProblems(
  file: YamlFile,
  { lookup, platforms }: { readonly lookup: ValueLookup; readonly platforms: readonly PlatformDescription[] },
): readonly Problem[] {
  const document = asMap(file.value)
  const stacks = Array.isArray(document['stacks']) ? (document['stacks'] as readonly unknown[]).map(asMap) : []
  return [
    ...stackProblems(file, document, stacks),
    ...cycleProblems(file, stacks),
    ...(platforms.every(({ families }) => families !== undefined)
      ? familyProblems(
          file,
          stacks,
          platforms.flatMap(({ families = [] }) => families),
        )
      : []),
    ...inputProblems(file, stacks, lookup),
    ...credentialProblems(file, lookup),
    ...connectionProblems(file, lookup),
    ...signingKeyProblems(file, lookup),
    ...webhookProblems(file, lookup),
    ...channelProblems(file),
  ]
}

function stackProblems(file: YamlFile, document: RawMap, stacks: readonly RawMap[]): readonly Problem[] {
  const targets = ['local', ...Object.keys(asMap(document['targets']))]
  const names = new Map<string, number>()
  return stacks.flatMap(({ name, target }, at) => {
    const first = typeof name === 'string' ? names.get(name) : undefined
    if (typeof name === 'string' && first === undefined) names.set(name, at)
    const path = ['stacks', at, 'name']
    const duplicate =
      first === undefined ? [] : [duplicateField(file, path, ['stacks', first, 'name'], 'Rename one of the two.')]
    if (typeof target !== 'string' || targets.includes(target)) return duplicate
    const message = `"stacks[${at}].target" names a target that is not declared under "targets".`
    const whole = withSuggestion(message, target, targets)
    return [...duplicate, file.problem('config/unknown-target', ['stacks', at, 'target'], whole)]
  })
}

// Checks of the configuration file that look at several of its parts, or outside it.
import { channelProblems } from './config-channels.js'
import { connectionProblems } from './config-connections.js'
import { credentialProblems } from './config-credentials.js'
import { mapOf, type Written } from './config-entries.js'
import { signingKeyProblems } from './config-keys.js'
import { webhookProblems } from './config-webhooks.js'
import type { Problem } from './model/problem.js'
import type { Lookup } from './secrets/lookup.js'
import { withAddresses } from './settings/source-document.js'
import type { YamlFile } from './settings/read-yaml.js'
import { didYouMean } from './settings/strict-object.js'

/** The value as written, the addresses of its stacks made absolute. */
export function resolveAddresses(value: unknown, directory: string): unknown {
  const stacks = mapOf(value)['stacks']
  return Array.isArray(stacks)
    ? { ...mapOf(value), stacks: stacks.map((stack: unknown) => withAddresses(stack, directory)) }
    : value
}

/**
 * What one part says about another. Looks at the values as written, so that it also finds something where the schema
 * did.
 */
export function crossProblems(file: YamlFile, lookup: Lookup): readonly Problem[] {
  const document = mapOf(file.value)
  return [
    ...stackProblems(file, document),
    ...credentialProblems(file, lookup),
    ...connectionProblems(file, lookup),
    ...signingKeyProblems(file, lookup),
    ...webhookProblems(file, lookup),
    ...channelProblems(file),
  ]
}

function stackProblems(file: YamlFile, document: Written): readonly Problem[] {
  const targets = ['local', ...Object.keys(mapOf(document['targets']))]
  const names = new Map<string, number>()
  const stacks = Array.isArray(document['stacks']) ? (document['stacks'] as readonly unknown[]).map(mapOf) : []
  return stacks.flatMap(({ name, target }, at) => {
    const first = typeof name === 'string' ? names.get(name) : undefined
    if (typeof name === 'string' && first === undefined) names.set(name, at)
    const twice =
      first === undefined
        ? []
        : [
            file.problem(
              'config/duplicate',
              ['stacks', at, 'name'],
              `"stacks[${at}].name" is also the name of stacks[${first}].`,
            ),
          ]
    if (typeof target !== 'string' || targets.includes(target)) return twice
    const meant = didYouMean(target, targets)
    const message = `"stacks[${at}].target" names a target that is not declared under "targets"${meant === undefined ? '.' : `: did you mean "${meant}"?`}`
    return [...twice, file.problem('config/unknown-target', ['stacks', at, 'target'], message)]
  })
}

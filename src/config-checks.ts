// Checks of the configuration file that look at several of its parts, or outside it.
import { SyncError } from './model/errors.js'
import type { Problem } from './model/problem.js'
import { matchProblem, resolveValue, type Lookup } from './secrets/credentials.js'
import { printPath } from './settings/describe-issue.js'
import { withAddresses } from './settings/source-document.js'
import type { YamlFile } from './settings/read-yaml.js'
import { didYouMean } from './settings/strict-object.js'

type Written = Readonly<Record<string, unknown>>

/** The value as written, the addresses of its stacks made absolute. */
export function resolveAddresses(value: unknown, directory: string): unknown {
  const stacks = mapOf(value)['stacks']
  return Array.isArray(stacks) ? { ...mapOf(value), stacks: stacks.map((stack: unknown) => withAddresses(stack, directory)) } : value
}

/** What one part says about another. Looks at the values as written, so that it also finds something where the schema did. */
export function crossProblems(file: YamlFile, lookup: Lookup): readonly Problem[] {
  const document = mapOf(file.value)
  return [
    ...stackProblems(file, document),
    ...matchProblems(file, mapOf(document['credentials'])),
    ...valueProblems(file, document, lookup),
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
        : [file.problem('config/duplicate', ['stacks', at, 'name'], `"stacks[${at}].name" is also the name of stacks[${first}].`)]
    if (typeof target !== 'string' || targets.includes(target)) return twice
    const meant = didYouMean(target, targets)
    const message = `"stacks[${at}].target" names a target that is not declared under "targets"${meant === undefined ? '.' : `: did you mean "${meant}"?`}`
    return [...twice, file.problem('config/unknown-target', ['stacks', at, 'target'], message)]
  })
}

function matchProblems(file: YamlFile, credentials: Written): readonly Problem[] {
  const matches = new Map<string, string>()
  return Object.entries(credentials).flatMap(([name, entry]) => {
    const { match, allowHttp } = mapOf(entry)
    if (typeof match !== 'string') return []
    const path = ['credentials', name, 'match']
    const wrong = matchProblem(match, allowHttp === true)
    if (wrong !== undefined) return [file.problem('config/invalid', path, `"${printPath(path)}" ${wrong}`)]
    const { href } = new URL(match)
    const first = matches.get(href)
    matches.set(href, first ?? name)
    return first === undefined ? [] : [file.problem('config/duplicate', path, `"${printPath(path)}" is also the match of "${first}".`)]
  })
}

function valueProblems(file: YamlFile, document: Written, lookup: Lookup): readonly Problem[] {
  return Object.entries(mapOf(document['credentials'])).flatMap(([name, entry]) =>
    ['username', 'token'].flatMap((key) => {
      const text = mapOf(entry)[key]
      const message = typeof text === 'string' ? valueProblem(text, lookup) : undefined
      return message === undefined
        ? []
        : [file.problem('config/unresolved', ['credentials', name, key], `"credentials.${name}.${key}" has no value: ${message}`)]
    }),
  )
}

function valueProblem(text: string, lookup: Lookup): string | undefined {
  try {
    resolveValue(text, lookup)
    return undefined
  } catch (error) {
    if (error instanceof SyncError) return error.message
    throw error
  }
}

function mapOf(value: unknown): Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Written) : {}
}

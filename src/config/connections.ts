// `connections` of the configuration file: certificates and proxies for the servers below an address.
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  invalidField,
  asMap,
  matchProblems,
  readProblems,
  unresolvedTextProblems,
  type RawMap,
} from './entry-problems.js'
import { matchProblem } from '../lib/text/address-match.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import type { Problem } from '../model/problem.js'
import type { ValueLookup } from '../secrets/resolve-value.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { strictObject } from '../settings/schema/strict-object.js'
import { certificatesOf, readTlsTexts, type HostConnection } from '../source/network/connection.js'
import { proxyProblem } from '../source/network/proxy.js'

const file = z
  .string()
  .min(1, 'must not be empty.')
  .refine(
    (text) => !text.includes('${'),
    'must be a file path: ${…} is not supported here, and gitmoor rereads the file when it changes.',
  )

export const connectionDocument = strictObject({
  match: z.string(),
  ca: file.optional(),
  certificate: file.optional(),
  key: file.optional(),
  proxy: z
    .string()
    .superRefine((text, context) => {
      const wrong = text === 'none' ? undefined : proxyProblem(text)
      if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong })
    })
    .optional(),
  proxyUsername: z.string().optional(),
  proxyPassword: z.string().optional(),
})

type ConnectionDocument = z.output<typeof connectionDocument>

/** Relative paths begin at `directory`. */
export function toConnection(
  name: string,
  { match, ca, certificate, key, ...proxy }: ConnectionDocument,
  directory: string,
): HostConnection {
  const files = Object.entries(withoutUndefined({ ca, certificate, key }))
  return {
    name,
    match,
    ...Object.fromEntries(files.map(([at, path]) => [at, resolve(directory, path)])),
    ...withoutUndefined(proxy),
  }
}

const settings = ['ca', 'certificate', 'key', 'proxy', 'proxyUsername', 'proxyPassword'] as const
const fileKeys = ['ca', 'certificate', 'key'] as const

/** Contradicting fields of an entry, and files and values that are missing. */
export function connectionProblems(yaml: YamlFile, lookup: ValueLookup): readonly Problem[] {
  const entries = Object.entries(asMap(asMap(yaml.value)['connections']))
  return [
    ...matchProblems(yaml, 'connections', connectionMatchProblem),
    ...entries.flatMap(([name, entry]) => entryProblems(yaml, ['connections', name], asMap(entry), lookup)),
  ]
}

function entryProblems(yaml: YamlFile, at: YamlPath, entry: RawMap, lookup: ValueLookup): readonly Problem[] {
  const wrong = contradiction(entry)
  if (wrong !== undefined) return [invalidField(yaml, at, wrong)]
  return [
    ...fileProblems(yaml, at, entry, lookup),
    ...['proxyUsername', 'proxyPassword'].flatMap((key) => unresolvedTextProblems(yaml, at, [key], lookup)),
  ]
}

function connectionMatchProblem(match: string): string | undefined {
  return /^smtps?:/.test(match)
    ? 'is a mail server, which connections do not apply to: set email.ca of its entry in notifications instead.'
    : matchProblem(match)
}

/** A message after the name of the entry. */
function contradiction(entry: RawMap): string | undefined {
  const has = (key: (typeof settings)[number]): boolean => entry[key] !== undefined
  if (!settings.some(has)) return 'has no effect: set ca, certificate and key, or proxy.'
  if (has('certificate') !== has('key')) return 'needs both certificate and key.'
  if (has('proxyUsername') !== has('proxyPassword')) return 'needs both proxyUsername and proxyPassword.'
  if (has('proxyUsername') && (!has('proxy') || entry['proxy'] === 'none'))
    return 'has proxyUsername, but proxy is not an address.'
  const { match } = entry
  if (typeof match === 'string' && match.startsWith('http:') && fileKeys.some(has))
    return 'has certificates, but its address is http, which does not use them.'
  return undefined
}

/** Checks each file, then whether certificate and key match. Invalid paths are left to the schema. */
function fileProblems(yaml: YamlFile, at: YamlPath, entry: RawMap, { directory }: ValueLookup): readonly Problem[] {
  const given = fileKeys.flatMap((key) =>
    file.safeParse(entry[key]).success ? [[key, resolve(directory, String(entry[key]))] as const] : [],
  )
  if (given.length < fileKeys.filter((key) => entry[key] !== undefined).length) return []
  const connection = (pairs: typeof given): HostConnection => ({
    name: String(at.at(-1)),
    match: '',
    ...Object.fromEntries(pairs),
  })
  const unread = given.flatMap((pair) => readProblems(yaml, [...at, pair[0]], () => readTlsTexts(connection([pair]))))
  if (unread.length > 0) return unread
  return readProblems(yaml, at, () => certificatesOf(connection(given), readTlsTexts(connection(given))))
}

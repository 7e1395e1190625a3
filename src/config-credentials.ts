// `credentials` of the configuration file: what goes to which address, each of one kind.
import { z } from 'zod'
import { invalid, mapOf, matchProblems, valueProblems, type Written } from './config-entries.js'
import { matchProblem } from './model/address-match.js'
import type { Problem } from './model/problem.js'
import type { Credential, CredentialKind } from './secrets/credential.js'
import type { Lookup } from './secrets/lookup.js'
import type { YamlFile, YamlPath } from './settings/read-yaml.js'
import { strictObject } from './settings/strict-object.js'

/** A number may be written for an identifier. */
const identifier = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().min(1, 'must not be empty.'))

const defaultApi = 'https://api.github.com'

export const credentialDocument = strictObject({
  match: z.string(),
  token: z.string().optional(),
  username: z
    .string()
    .regex(/^(?:\$\{[^}]*\}|[^:])*$/, 'must not hold a colon.')
    .optional(),
  bearer: z.string().optional(),
  header: strictObject({
    name: z.string().refine(isCarrier, 'is not a header that may carry a credential.'),
    value: z.string(),
  }).optional(),
  githubApp: strictObject({
    appId: identifier,
    installationId: identifier,
    privateKey: z.string(),
    api: z.string().default(defaultApi),
  }).optional(),
  allowHttp: z.boolean().optional(),
  push: z.boolean().optional(),
})

type CredentialDocument = z.output<typeof credentialDocument>

/** Of a document without problems. */
export function credentialOf(name: string, { match, allowHttp, push, ...secret }: CredentialDocument): Credential {
  return {
    name,
    match,
    ...kindOf(secret),
    ...(allowHttp === undefined ? {} : { allowHttp }),
    ...(push === undefined ? {} : { push }),
  }
}

function kindOf({ token, username, bearer, header, githubApp }: Omit<CredentialDocument, 'match'>): CredentialKind {
  if (bearer !== undefined) return { bearer }
  if (header !== undefined) return { header }
  if (githubApp !== undefined) return { githubApp }
  return username === undefined ? { token: token! } : { token: token!, username }
}

/** The keys of which an entry has exactly one: they say its kind. */
const kinds = ['token', 'bearer', 'header', 'githubApp'] as const

/** Where texts stand that may hold `${…}`. */
const values = [
  ['username'],
  ['token'],
  ['bearer'],
  ['header', 'value'],
  ['githubApp', 'appId'],
  ['githubApp', 'installationId'],
  ['githubApp', 'privateKey'],
] as const

/** Entries that are of no kind or of several, matches that are none or doubled, and values that are not there. */
export function credentialProblems(file: YamlFile, lookup: Lookup): readonly Problem[] {
  const entries = Object.entries(mapOf(mapOf(file.value)['credentials']))
  return [
    ...matchProblems(file, 'credentials', (match, entry) => matchProblem(match) ?? plainProblem(match, entry)),
    ...entries.flatMap(([name, entry]) => entryProblems(file, ['credentials', name], mapOf(entry))),
    ...entries.flatMap(([name]) => values.flatMap((steps) => valueProblems(file, ['credentials', name], steps, lookup))),
  ]
}

function entryProblems(file: YamlFile, at: YamlPath, entry: Written): readonly Problem[] {
  const wrong = kindProblem(entry)
  const { api } = mapOf(entry['githubApp'])
  const wrongApi = typeof api === 'string' ? (matchProblem(api) ?? plainProblem(api, entry)) : undefined
  return [
    ...(wrong === undefined ? [] : [invalid(file, at, wrong)]),
    ...(wrongApi === undefined ? [] : [invalid(file, [...at, 'githubApp', 'api'], wrongApi)]),
  ]
}

/** Words that follow the entry's name. */
function kindProblem(entry: Written): string | undefined {
  const given = kinds.filter((kind) => entry[kind] !== undefined)
  if (given.length === 0) return `is missing its secret: one of ${kinds.join(', ')} is needed.`
  if (given.length > 1) return `has ${given.join(' and ')}: give one of them.`
  return entry['username'] !== undefined && given[0] !== 'token' ? 'has a username, which goes with token only.' : undefined
}

function plainProblem(address: string, { allowHttp }: Written): string | undefined {
  return new URL(address).protocol === 'http:' && allowHttp !== true
    ? 'is http, over which a token can be read on its way: say "allowHttp: true" if that is meant.'
    : undefined
}

/** Headers that say where a request goes, how long it is or what may be done with it, and those that gitmoor gives itself. */
const steering =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|max-forwards|via|forwarded|x-forwarded-.*|x-http-method.*|proxy-.*|sec-.*|accept.*|if-.*|range|user-agent|git-protocol|cache-control|pragma|origin|referer|date)$/i

function isCarrier(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name) && !steering.test(name)
}

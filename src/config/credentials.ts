// `credentials` of the configuration file: each belongs to an address and is of one kind.
import { resolve } from 'node:path'
import { z } from 'zod'
import { invalidField, asMap, matchProblems, unresolvedTextProblems, type RawMap } from './entry-problems.js'
import { sshFile, sshProblems } from './ssh-credentials.js'
import { matchProblem } from '../lib/text/address-match.js'
import type { Problem } from '../model/problem.js'
import { isSsh, sshMatchProblem } from '../lib/text/ssh-address.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import type { Credential, CredentialKind } from '../secrets/credential.js'
import type { ValueLookup } from '../secrets/resolve-value.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { strictObject } from '../settings/schema/strict-object.js'

/** An identifier, which may be written as a number. */
const identifier = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string().min(1, 'must not be empty.'),
)

const defaultApi = 'https://api.github.com'

export const credentialDocument = strictObject({
  match: z.string(),
  token: z.string().optional(),
  username: z
    .string()
    .regex(/^(?:\$\{[^}]*\}|[^:])*$/, 'must not contain a colon.')
    .optional(),
  bearer: z.string().optional(),
  header: strictObject({
    name: z.string().refine(mayCarryCredential, 'is not a header that may carry a credential.'),
    value: z.string(),
  }).optional(),
  githubApp: strictObject({
    appId: identifier,
    installationId: identifier,
    privateKey: z.string(),
    api: z.string().default(defaultApi),
  }).optional(),
  identityFile: sshFile.optional(),
  agent: z.string().optional(),
  knownHosts: sshFile.optional(),
  allowHttp: z.boolean().optional(),
  push: z.boolean().optional(),
})

type CredentialDocument = z.output<typeof credentialDocument>

/** Of a document without problems. Relative paths begin at `directory`. */
export function toCredential(
  name: string,
  { match, allowHttp, push, ...secret }: CredentialDocument,
  directory: string,
): Credential {
  return {
    name,
    match,
    ...credentialKind(secret, directory),
    ...withoutUndefined({ allowHttp, push }),
  }
}

function credentialKind(secret: Omit<CredentialDocument, 'match'>, directory: string): CredentialKind {
  const { token, username, bearer, header, githubApp, identityFile, agent, knownHosts = '' } = secret
  if (bearer !== undefined) return { bearer }
  if (header !== undefined) return { header }
  if (githubApp !== undefined) return { githubApp }
  const known = resolve(directory, knownHosts)
  if (identityFile !== undefined) return { ssh: { identityFile: resolve(directory, identityFile), knownHosts: known } }
  if (agent !== undefined) return { ssh: { agent, knownHosts: known } }
  return username === undefined ? { token: token! } : { token: token!, username }
}

/** The kinds. An entry has exactly one of these keys. */
const httpKinds = ['token', 'bearer', 'header', 'githubApp'] as const
const sshKinds = ['identityFile', 'agent'] as const

/** The fields that may contain `${…}`. */
const resolvedFields = [
  ['username'],
  ['token'],
  ['bearer'],
  ['agent'],
  ['header', 'value'],
  ['githubApp', 'appId'],
  ['githubApp', 'installationId'],
  ['githubApp', 'privateKey'],
] as const

/** Entries without exactly one kind, invalid or duplicate matches, and missing values. */
export function credentialProblems(file: YamlFile, lookup: ValueLookup): readonly Problem[] {
  const entries = Object.entries(asMap(asMap(file.value)['credentials']))
  return [
    ...matchProblems(file, 'credentials', (match, entry) =>
      isSsh(match) ? sshMatchProblem(match) : (matchProblem(match) ?? plainHttpProblem(match, entry)),
    ),
    ...entries.flatMap(([name, entry]) => entryProblems(file, ['credentials', name], { entry: asMap(entry), lookup })),
    ...entries.flatMap(([name]) =>
      resolvedFields.flatMap((steps) => unresolvedTextProblems(file, ['credentials', name], steps, lookup)),
    ),
  ]
}

function entryProblems(
  file: YamlFile,
  at: YamlPath,
  { entry, lookup }: { readonly entry: RawMap; readonly lookup: ValueLookup },
): readonly Problem[] {
  const wrong = kindProblem(entry)
  const { api } = asMap(entry['githubApp'])
  const wrongApi = typeof api === 'string' ? (matchProblem(api) ?? plainHttpProblem(api, entry)) : undefined
  return [
    ...(wrong === undefined ? sshProblems(file, at, entry, lookup) : [invalidField(file, at, wrong)]),
    ...(wrongApi === undefined ? [] : [invalidField(file, [...at, 'githubApp', 'api'], wrongApi)]),
  ]
}

/** A message after the name of the entry. */
function kindProblem(entry: RawMap): string | undefined {
  const isOfSsh = typeof entry['match'] === 'string' && isSsh(entry['match'])
  const kinds: readonly string[] = isOfSsh ? sshKinds : httpKinds
  const given = [...httpKinds, ...sshKinds].filter((kind) => entry[kind] !== undefined)
  const other = given.find((kind) => !kinds.includes(kind))
  if (other !== undefined) return `has ${other}, which this match does not support. Supported: ${kinds.join(', ')}.`
  if (given.length === 0) return `has no secret. Set one of ${kinds.join(', ')}.`
  if (given.length > 1) return `has ${given.join(' and ')}. Set only one of them.`
  if (isOfSsh !== (entry['knownHosts'] !== undefined))
    return isOfSsh
      ? 'needs knownHosts, the file with the host keys of the servers.'
      : 'has knownHosts, which only ssh uses.'
  return entry['username'] !== undefined && given[0] !== 'token'
    ? 'has username, which only works with token.'
    : undefined
}

function plainHttpProblem(address: string, { allowHttp }: RawMap): string | undefined {
  return new URL(address).protocol === 'http:' && allowHttp !== true
    ? 'is http, which sends the credential unencrypted. Set "allowHttp: true" to allow that.'
    : undefined
}

/** Headers for routing, framing and caching, and those that gitmoor itself sends. */
const reserved =
  'host content-.* transfer-encoding connection keep-alive upgrade te trailer expect max-forwards via forwarded ' +
  'x-forwarded-.* x-http-method.* proxy-.* sec-.* accept.* if-.* range user-agent git-protocol cache-control pragma ' +
  'origin referer date'
const reservedHeaders = new RegExp(`^(?:${reserved.replaceAll(' ', '|')})$`, 'i')

function mayCarryCredential(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name) && !reservedHeaders.test(name)
}

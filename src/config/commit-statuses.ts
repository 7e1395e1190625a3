// `commitStatus` of the configuration file: the Git hosts that get a status for each commit that a run applies.
import { z } from 'zod'
import { asMap, duplicateField, invalidField, matchProblems, type RawMap } from './entry-problems.js'
import { matchProblem } from '../lib/text/address-match.js'
import { isSsh, sshMatchProblem } from '../lib/text/ssh-address.js'
import { quoted } from '../lib/text/printable.js'
import type { Problem } from '../model/problem.js'
import { forges, knownForge, type Forge } from '../model/sources/forge.js'
import type { StatusReceiver } from '../notifications/receiver.js'
import { withSuggestion } from '../settings/did-you-mean.js'
import type { YamlFile } from '../settings/schema/read-yaml.js'
import { strictObject } from '../settings/schema/strict-object.js'

export const commitStatusDocument = strictObject({
  match: z.string(),
  provider: z.enum(forges).optional(),
  api: z.string().optional(),
  web: z.string().optional(),
  credential: z.string(),
})

type CommitStatusDocument = z.output<typeof commitStatusDocument>

const apiPaths: Readonly<Record<Forge, string>> = {
  github: '/api/v3',
  gitlab: '/api/v4',
  gitea: '/api/v1',
  forgejo: '/api/v1',
}

/** Of a document without problems. */
export function toStatusReceiver(
  name: string,
  { match, provider, api, web, credential }: CommitStatusDocument,
): StatusReceiver {
  const forge = provider ?? knownForge(match) ?? 'github'
  return {
    name,
    match,
    forge,
    api: withoutSlash(api ?? standardApi(match, forge, web)),
    credential,
    ...(web === undefined ? {} : { web: withoutSlash(web) }),
  }
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

function standardApi(match: string, forge: Forge, web: string | undefined): string {
  const { protocol, host, hostname } = new URL(match)
  if (hostname === 'github.com') return 'https://api.github.com'
  if (web !== undefined) return `${withoutSlash(web)}${apiPaths[forge]}`
  return isSsh(match) ? `https://${hostname}${apiPaths[forge]}` : `${protocol}//${host}${apiPaths[forge]}`
}

/** Unknown hosts and credentials, invalid addresses, and names that `notifications` has, too. */
export function commitStatusProblems(file: YamlFile): readonly Problem[] {
  const document = asMap(file.value)
  const credentials = asMap(document['credentials'])
  const entries = Object.entries(asMap(document['commitStatus']))
  const valid = (match: string): string | undefined => (isSsh(match) ? sshMatchProblem(match) : matchProblem(match))
  return [
    ...matchProblems(file, 'commitStatus', valid),
    ...entries.flatMap(([name, entry]) => [
      ...(Object.hasOwn(asMap(document['notifications']), name)
        ? [duplicateField(file, ['commitStatus', name], ['notifications', name], 'Rename one of the two.')]
        : []),
      ...hostProblems(file, name, asMap(entry), valid),
      ...credentialProblem(file, name, { entry: asMap(entry), credentials }),
    ]),
  ]
}

function hostProblems(
  file: YamlFile,
  name: string,
  { match, provider, api, web }: RawMap,
  valid: (match: string) => string | undefined,
): readonly Problem[] {
  const at = ['commitStatus', name]
  const wrongApi = typeof api === 'string' ? matchProblem(api) : undefined
  const wrongWeb = typeof web === 'string' && typeof match === 'string' ? webProblem(web, match) : undefined
  const isUnknown =
    provider === undefined && typeof match === 'string' && valid(match) === undefined && knownForge(match) === undefined
  return [
    ...(wrongApi === undefined ? [] : [invalidField(file, [...at, 'api'], wrongApi)]),
    ...(wrongWeb === undefined ? [] : [invalidField(file, [...at, 'web'], wrongWeb)]),
    ...(isUnknown
      ? [invalidField(file, at, `needs provider, as gitmoor does not know this host: ${forges.join(', ')}.`)]
      : []),
  ]
}

function webProblem(web: string, match: string): string | undefined {
  if (!isSsh(match)) return 'is only for a match with an ssh address: others have their own web address.'
  return web.startsWith('https://') ? matchProblem(web) : 'must begin with https://.'
}

/** The credential exists, has a token, and may be sent to the API. */
function credentialProblem(
  file: YamlFile,
  name: string,
  { entry, credentials }: { readonly entry: RawMap; readonly credentials: RawMap },
): readonly Problem[] {
  const at = ['commitStatus', name, 'credential']
  const { credential, match, api } = entry
  if (typeof credential !== 'string') return []
  if (!Object.hasOwn(credentials, credential)) {
    const message = `names the credential ${quoted(credential)}, which is not declared under "credentials".`
    return [invalidField(file, at, withSuggestion(message, credential, Object.keys(credentials)))]
  }
  const used = asMap(credentials[credential])
  if (!['token', 'bearer', 'githubApp'].some((kind) => used[kind] !== undefined))
    return [invalidField(file, at, `names the credential ${quoted(credential)}, which has no token.`)]
  const address = typeof api === 'string' ? api : match
  return typeof address === 'string' && address.startsWith('http:') && used['allowHttp'] !== true
    ? [invalidField(file, at, 'is sent to an http address. Set "allowHttp: true" of the credential to allow that.')]
    : []
}

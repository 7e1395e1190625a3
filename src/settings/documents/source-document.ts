// `sources` of a stack document: where its package comes from.
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { isObject } from '../../model/json.js'
import { refProblem } from '../../model/sources/ref.js'
import type { SourceSpec, UrlSpec } from '../../model/sources/source-spec.js'
import { isSsh } from '../../lib/text/ssh-address.js'
import { checkedText } from '../schema/checked-text.js'
import { addressProblem, resolveAddress } from '../source-address.js'
import { strictObject } from '../schema/strict-object.js'

const ref = checkedText(refProblem).describe('Branch, tag, full ref, HEAD, commit, or semver:RANGE of tags.')
const path = checkedText(pathProblem).describe('Folder or file in the repository; empty: its root.')
const url = checkedText(addressProblem).describe(
  'https://, http://, ssh:// or file:// address of a git repository, or user@host:path.',
)
const fileUrl = checkedText(fileUrlProblem).describe('https:// or http:// address of one package file.')
const packageUrl = checkedText(fileUrlProblem).describe(
  'https:// or http:// address of one package file, or of an archive (.tar, .tar.gz, .zip).',
)
const pathInArchive = checkedText(pathProblem).describe(
  'Folder or file in the archive; a leading * means the only folder at the top; empty: its root.',
)
const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits.')
  .describe('The required digest of the file or archive: sha256:…')
const directory = checkedText(directoryProblem).describe('Absolute path of a folder on the machine of the agent.')

const urls = z
  .array(fileUrl)
  .max(20, 'must list at most 20 addresses.')
  .describe('Package files that gitmoor fetches at each apply over /api/v2.')

const kinds = 'git, url, directory, inline'

/** `kind` may be left out of a git source. */
export const sourceDocument = z.discriminatedUnion(
  'kind',
  [
    strictObject({
      kind: z.literal('git').optional().describe('A git repository. May be left out.'),
      url,
      ref: ref.default('HEAD'),
      path: path.default(''),
    }),
    strictObject({
      kind: z.literal('url').describe('A package file or an archive behind a URL.'),
      url: packageUrl,
      path: pathInArchive.optional(),
      digest: digest.optional(),
    }),
    strictObject({ kind: z.literal('directory').describe('A folder on the machine of the agent.'), directory }),
    strictObject({ kind: z.literal('inline').describe('Packages that requests push.'), urls: urls.optional() }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${kinds}.` : undefined) },
)

export const mostSources = 10

export const sourcesDocument = z
  .array(sourceDocument)
  .min(1, 'must list at least one source.')
  .max(mostSources, `must list at most ${mostSources} sources.`)
  .refine(
    (sources) => sources.filter(({ kind }) => kind === 'inline').length <= 1,
    'must list at most one source of kind inline.',
  )

/** A change of the only source that has these fields. */
export const sourcePatchDocument = strictObject({
  kind: z
    .enum(['git', 'url', 'directory'])
    .optional()
    .describe('The source to change, if the fields fit several kinds.'),
  url: url.optional(),
  ref: ref.optional(),
  path: path.optional(),
  digest: digest.optional(),
  directory: directory.optional(),
})

/** The sources as the API shows them, by kind. */
export const sourceAnswerShapes = {
  git: {
    kind: z.literal('git').describe('A git repository.'),
    url: z.string().describe('Without credentials.'),
    ref: z.string().describe('Branch, tag, full ref, HEAD, commit, or semver:RANGE of tags.'),
    path: z.string().describe('Folder or file in the repository; empty: its root.'),
  },
  url: {
    kind: z.literal('url').describe('A package file or an archive behind a URL.'),
    url: z.string().describe('Without credentials.'),
    path: z.string().optional().describe('Folder or file in the archive; absent: its root.'),
    digest: z.string().optional().describe('The required digest of the file or archive: sha256:…'),
  },
  directory: {
    kind: z.literal('directory').describe('A folder on the machine of the agent.'),
    directory: z.string().describe('Absolute path.'),
  },
  inline: {
    kind: z.literal('inline').describe('Packages that requests push.'),
    urls: z
      .array(z.string())
      .readonly()
      .optional()
      .describe('Package files that gitmoor fetches at each apply over /api/v2.'),
  },
}

export const sourcesAnswer = z
  .array(
    z.discriminatedUnion('kind', [
      z.object(sourceAnswerShapes.git),
      z.object(sourceAnswerShapes.url),
      z.object(sourceAnswerShapes.directory),
      z.object(sourceAnswerShapes.inline),
    ]),
  )
  .readonly()

export type SourceDocument = z.output<typeof sourceDocument>

/** The source of an entry. */
export function toSourceSpec(source: SourceDocument): SourceSpec {
  switch (source.kind) {
    case 'url':
      return toUrlSpec(source)
    case 'directory':
      return { kind: 'directory', directory: resolve(source.directory) }
    case 'inline':
      return { kind: 'inline', ...(source.urls === undefined || source.urls.length === 0 ? {} : { urls: source.urls }) }
    case 'git':
    case undefined:
      return { kind: 'git', url: source.url, ref: source.ref, path: plainPath(source.path) }
  }
}

/** An empty path removes it again: `stack set --path ''`. */
function toUrlSpec({
  url: address,
  path: below = '',
  digest: required,
}: Extract<SourceDocument, { readonly kind: 'url' }>): UrlSpec {
  const inside = plainPath(below)
  return {
    kind: 'url',
    url: address,
    ...(inside === '' ? {} : { path: inside }),
    ...(required === undefined ? {} : { digest: required }),
  }
}

/** The entry of a source. */
export function toSourceDocument(source: SourceSpec): SourceDocument {
  if (source.kind === 'git') return { url: source.url, ref: source.ref, path: source.path }
  if (source.kind === 'inline')
    return { kind: 'inline', ...(source.urls === undefined ? {} : { urls: [...source.urls] }) }
  return source
}

/**
 * An unchecked document with resolved addresses and directories. Values of another shape stay: the schema refuses
 * them.
 */
export function withResolvedAddresses(document: unknown, base: string): unknown {
  if (!isObject(document) || !Array.isArray(document['sources'])) return document
  return {
    ...document,
    sources: document['sources'].map((source) => withResolvedAddress(source, base)),
  }
}

function withResolvedAddress(source: unknown, base: string): unknown {
  if (!isObject(source)) return source
  const { kind = 'git', url: address, directory: folder } = source
  if (kind === 'git' && typeof address === 'string') return { ...source, url: resolveAddress(address, base) }
  return kind === 'directory' && typeof folder === 'string' && folder !== ''
    ? { ...source, directory: resolve(base, folder) }
    : source
}

function fileUrlProblem(value: string): string | undefined {
  if (/^(file:|\/)/i.test(value))
    return 'must begin with https:// or http://. Use a source of kind directory for a local folder.'
  return isSsh(value) ? 'must begin with https:// or http://. Use a source of kind git for ssh.' : addressProblem(value)
}

function directoryProblem(value: string): string | undefined {
  if (value.length > 1024) return 'is longer than 1024 characters.'
  if (/[\x00-\x1f\x7f]/.test(value)) return 'must not contain control characters.'
  return isAbsolute(value) ? undefined : 'must be absolute. Only the configuration file may use ./….'
}

function pathProblem(value: string): string | undefined {
  if (value.length > 1024) return 'is longer than 1024 characters.'
  if (/[\x00-\x1f\x7f\\]/.test(value)) return 'must not contain backslashes or control characters.'
  if (value.startsWith('/')) return 'must be relative to the root of the repository. Remove the leading /.'
  const parts = plainPath(value).split('/')
  if (parts.includes('..')) return 'must not contain ..'
  if (parts.length > 1 && parts.some((part) => part === '' || part === '.')) return 'must not contain // or /./'
  return undefined
}

/** Without leading `./` and trailing slashes. */
export function plainPath(value: string): string {
  return value.replace(/^(\.\/)+/, '').replace(/(?:\/+|^\.)$/, '')
}

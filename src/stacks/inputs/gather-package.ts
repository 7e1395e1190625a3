// The package of a request: files in the order in which they are combined, each with its origin.
import { chunks } from '../../lib/chunks.js'
import { detectEncoding, isJsonnetAddress } from '../../model/encoding.js'
import { Refused } from '../../model/errors.js'
import { showAddress } from '../../lib/text/printable.js'
import type { RemotePackages } from '../../source/remote-packages.js'
import type { PushedFile } from './pushed-package.js'

/** One package as text. `sources`: its origins, as the client names them. */
export interface GivenPackage {
  readonly contentType?: string
  readonly sources: readonly string[]
  readonly text: string
}

/** A package that the agent fetches. */
export interface PackageUrl {
  readonly url: string
  readonly contentType?: string
}

/** Packages of one request, in the order in which they are combined. */
export interface RequestedPackages {
  readonly remotes: readonly PackageUrl[]
  readonly packages: readonly GivenPackage[]
  /** The content type of the request, if it describes the texts. */
  readonly contentType?: string
}

export interface Gathered {
  readonly files: readonly PushedFile[]
  /** By path. */
  readonly origins: ReadonlyMap<string, string>
}

/** URLs of one request, including those of its stack. */
const mostRemotes = 100
const atOnce = 5

/** `urls`: of the stack. Errors: `Refused` for Jsonnet, or for a URL that cannot be unescaped; those of fetching. */
export async function gatherPackage(
  { remotes, packages, contentType }: RequestedPackages,
  urls: readonly string[],
  port: RemotePackages,
  signal: AbortSignal,
): Promise<Gathered> {
  const behind = urls.map((url) => ({ url }))
  refuseJsonnet([...remotes, ...behind], packages)
  const fetched = await fetchAll([...remotes, ...behind], port, signal)
  const [named, own] = [fetched.slice(0, remotes.length), fetched.slice(remotes.length)]
  const given = packages.map((one) => ({ ...one, responseType: contentType }))
  return inOrder([...named, ...given, ...own])
}

interface Piece extends GivenPackage {
  readonly responseType: string | undefined
}

function inOrder(pieces: readonly Piece[]): Gathered {
  const digits = String(pieces.length).length
  const files = pieces.map((piece, at) => ({
    path: `${String(at + 1).padStart(digits, '0')}-${fileName(piece)}`,
    text: piece.text,
  }))
  return { files, origins: new Map(pieces.map(({ sources }, at) => [files[at]!.path, originText(sources)])) }
}

/** Several sources of one package are joined into one. */
function originText(sources: readonly string[]): string {
  return sources.length === 0 ? 'byte stream' : sources.join('; ')
}

/** A safe file name from the end of the origin, with the extension of the encoding. */
function fileName({ sources: [source = ''], contentType, responseType, text }: Piece): string {
  const encoding = detectEncoding({ contentType, path: source, responseType, text })
  const [, last = ''] = /([^/]*)$/.exec(source.replace(/[?#].*$/s, '').replace(/\/+$/, '')) ?? []
  const stem = last
    .replace(/\.[A-Za-z]+$/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  return `${stem === '' ? 'package' : stem}.${encoding === 'json' ? 'json' : 'yml'}`
}

async function fetchAll(
  remotes: readonly PackageUrl[],
  port: RemotePackages,
  signal: AbortSignal,
): Promise<readonly Piece[]> {
  const pieces: Piece[] = []
  for (const some of chunks(remotes, atOnce))
    pieces.push(...(await Promise.all(some.map((remote) => fetchOne(remote, port, signal)))))
  return pieces
}

async function fetchOne({ url, contentType }: PackageUrl, port: RemotePackages, signal: AbortSignal): Promise<Piece> {
  const { bytes, contentType: responseType } = await port.fetch(url, signal)
  return {
    sources: [url],
    text: new TextDecoder('utf-8').decode(bytes),
    responseType,
    ...(contentType === undefined ? {} : { contentType }),
  }
}

function refuseJsonnet(remotes: readonly PackageUrl[], packages: readonly GivenPackage[]): void {
  if (remotes.length > mostRemotes)
    throw new Refused(
      'usage',
      `A request names at most ${mostRemotes} remote packages; this one names ${remotes.length}.`,
    )
  for (const { url, contentType } of remotes) refuseIf(isJsonnetAddress(url) || isJsonnet(contentType), url)
  for (const { sources, contentType } of packages)
    refuseIf(sources.some(isJsonnetAddress) || isJsonnet(contentType), sources[0] ?? 'the package')
}

function isJsonnet(contentType: string | undefined): boolean {
  return contentType !== undefined && detectEncoding({ contentType, text: '' }) === 'jsonnet'
}

function refuseIf(is: boolean, what: string): void {
  if (!is) return
  throw new Refused(
    'source',
    `invalid encoding: ${showAddress(what)} is Jsonnet, which is not evaluated over the API.`,
    {
      code: 'stacks/jsonnet-refused',
      hint: 'Evaluate it first, and send the result as JSON.',
    },
  )
}

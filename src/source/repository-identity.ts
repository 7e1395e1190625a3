// The identity of a repository, for any spelling of its address. Policies, vetoes and webhooks apply to a repository.
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoize } from '../lib/memoize.js'
import { realPath } from './allowed-directory.js'

const mostAddresses = 5_000
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ssh:': '22', 'git:': '9418' }

/**
 * Host and path without `.git`, scheme and user, in lower case: `github.com/acme/boards`. For a local repository it is
 * the real path, as far as that exists. Two repositories that differ only in letter case have the same identity.
 */
export function repositoryIdentity(address: string): string {
  return isFile(address) ? plainPath(realPath(fileURLToPath(address))) : writtenIdentity(address)
}

/** The path of a repository on its host, as written, without slashes at its ends and `.git`: `acme/Boards`. */
export function repositoryPath(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const written = url !== undefined && url.hostname !== '' ? decoded(url.pathname) : address.replace(/^[^:]*:/, '')
  return plainPath(written).slice(1)
}

/** True if a repository is below this address, in whole segments. Compares written and real paths. */
export function isBelow(remote: string, prefix: string): boolean {
  if (isWithin(writtenIdentity(remote), writtenIdentity(prefix))) return true
  return isFile(remote) && isFile(prefix) && isWithin(repositoryIdentity(remote), repositoryIdentity(prefix))
}

function isFile(address: string): boolean {
  return address.startsWith('file:')
}

function isWithin(identity: string, beginning: string): boolean {
  return identity === beginning || identity.startsWith(`${beginning}/`)
}

const writtenIdentity = memoize(mostAddresses, (address) => {
  const plain = address.replace(/^url:/, '')
  const url = URL.canParse(plain) ? new URL(plain) : undefined
  if (url?.protocol === 'file:') return plainPath(decoded(url.pathname))
  if (url !== undefined && url.hostname !== '')
    return `${hostWithPort(url)}${plainPath(decoded(url.pathname))}`.toLowerCase()
  const [, host = '', path = plain] = /^(?:[^@/:]+@)?([^@/:]+):(?!\/\/)(.+)$/s.exec(plain) ?? []
  return `${host}${plainPath(decoded(path))}`.toLowerCase()
})

/** The path with a leading slash, without `.`, `..`, empty segments, a trailing slash and `.git`. The root is ''. */
function plainPath(path: string): string {
  return posix.normalize(`/${path.replaceAll('\\', '/')}`).replace(/(?:\/|\.git)+$/i, '')
}

function hostWithPort({ protocol, hostname, port }: URL): string {
  const host = hostname.replace(/\.$/, '')
  return port === '' || port === defaultPorts[protocol] ? host : `${host}:${port}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** All addresses under which stacks follow, or followed, each repository. */
export class RepositoryAddresses {
  readonly #remotes = new Map<string, Set<string>>()

  add(remote: string): void {
    const identity = repositoryIdentity(remote)
    this.#remotes.set(identity, (this.#remotes.get(identity) ?? new Set()).add(remote))
  }

  /** The other addresses of a repository. */
  others(remote: string): readonly string[] {
    return [...(this.#remotes.get(repositoryIdentity(remote)) ?? [])].filter((other) => other !== remote)
  }
}

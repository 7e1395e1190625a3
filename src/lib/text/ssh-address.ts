// Addresses of ssh repositories: `ssh://user@host:port/path` from the root, `user@host:path` (as in scp) from the home.

/** `host`: without brackets. `path`: as the server expects it; `~name/…` begins at a home. */
export interface SshAddress {
  /** Absent: the user that the agent runs as. */
  readonly user?: string
  readonly host: string
  readonly port: number
  readonly path: string
}

const defaultPort = 22
const scheme = /^ssh:\/\//i
const scpLike = /^([^/]+)@(\[[^\]/]*\]|[^/:@]*):(.*)$/s

interface AddressParts {
  readonly user: string | undefined
  readonly host: string
  readonly port: string
  /** Without percent-encoding; begins with a slash if it is absolute. */
  readonly path: string
}

/** True for an ssh address, valid or not. */
export function isSsh(text: string): boolean {
  return scheme.test(text) || (!text.includes('://') && /^[^/]+@[^/]*:/.test(text))
}

/** The problem of an ssh address, as words that follow it and do not repeat it; undefined: valid. */
export function sshProblem(text: string): string | undefined {
  const parts = splitAddress(text)
  if (parts === undefined) return 'cannot be read'
  const path = parts.path.replace(/^\/+/, '')
  return (
    userProblem(parts.user) ??
    hostProblem(parts) ??
    pathProblem(parts.path) ??
    (path === '' ? 'has no path' : undefined)
  )
}

/** The problem of the beginning of an ssh address. */
export function sshMatchProblem(text: string): string | undefined {
  const parts = scheme.test(text) ? splitAddress(text) : undefined
  if (parts === undefined) return 'must be the beginning of an address: ssh://git@github.com/acme/'
  return userProblem(parts.user) ?? hostProblem(parts) ?? pathProblem(parts.path)
}

/** The canonical form of a valid ssh address, or of its beginning. */
export function normaliseSsh(text: string): string {
  const { user, host, port, path } = splitAddress(text)!
  const place = (user === undefined ? '' : `${user}@`) + host.toLowerCase()
  const plain = path.split('/').filter((part) => part !== '' && part !== '.')
  if (!scheme.test(text) && !/^[/~]/.test(path)) return `${place}:${plain.join('/')}`
  const explicitPort = port === '' || Number(port) === defaultPort ? '' : `:${Number(port)}`
  return `ssh://${place}${explicitPort}/${plain.map(encodePart).join('/')}`
}

/** The parts of a canonical ssh address; undefined: another address. */
export function sshAddress(address: string): SshAddress | undefined {
  if (!isSsh(address)) return undefined
  const { user, host, port, path } = splitAddress(address)!
  return {
    ...(user === undefined ? {} : { user }),
    host: host.replace(/^\[|\]$/g, ''),
    port: port === '' ? defaultPort : Number(port),
    path: path.replace(/^\/~/, '~'),
  }
}

/** A canonical address as a URL: `user@host:path` becomes `ssh://user@host/path`. Others stay. */
export function toUrl(address: string): string {
  const [, user, host, path] = scheme.test(address) || !isSsh(address) ? [] : (scpLike.exec(address) ?? [])
  return path === undefined ? address : `ssh://${user}@${host}/${path.split('/').map(encodePart).join('/')}`
}

function splitAddress(text: string): AddressParts | undefined {
  if (!scheme.test(text)) {
    const [, user, host, path] = scpLike.exec(text) ?? []
    return path === undefined ? undefined : { user, host: host!, port: '', path }
  }
  const [, authority = '', encoded = ''] = /^ssh:\/\/([^/?#]*)(.*)$/is.exec(text)!
  const at = authority.lastIndexOf('@')
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? []
  const path = decoded(encoded)
  return path === undefined ? undefined : { user: at < 0 ? undefined : authority.slice(0, at), host, port, path }
}

function userProblem(user: string | undefined): string | undefined {
  if (user === undefined) return undefined
  if (user.includes(':')) return 'contains a password'
  if (user.startsWith('-')) return 'has a user name that begins with "-"'
  return /^[A-Za-z0-9_.+~-]{1,64}$/.test(user)
    ? undefined
    : 'has a user name with characters other than letters, digits, _ . + ~ and -'
}

function hostProblem({ host, port }: AddressParts): string | undefined {
  if (host === '') return 'has no host'
  if (host.startsWith('-')) return 'has a host that begins with "-"'
  const isName = /^[a-z0-9][a-z0-9._-]{0,252}$/i.test(host)
  if (!isName && !isInBrackets(host)) return 'has a host with characters other than letters, digits, . _ and -'
  return port === '' || (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536)
    ? undefined
    : 'has an invalid port'
}

function pathProblem(path: string): string | undefined {
  if (path.startsWith('-')) return 'has a path that begins with "-"'
  if (/[?#]/.test(path)) return 'has a query or a fragment'
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u.test(path)) return 'has a control character or a backslash in its path'
  return path.split('/').includes('..') ? 'has ".." in its path' : undefined
}

/** An IPv6 address. */
function isInBrackets(host: string): boolean {
  return /^\[[0-9a-f:.]+\]$/i.test(host) && URL.canParse(`http://${host}/`)
}

/** undefined: an invalid escape, or an escaped slash. */
function decoded(path: string): string | undefined {
  try {
    return /%2f/i.test(path) ? undefined : decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function encodePart(part: string): string {
  return encodeURI(part).replace(/[?#]/g, encodeURIComponent)
}

/** How the agent logs in to an ssh server: by a key file or a key agent's socket; and known hosts. Absolute paths. */
export type SshLogin = { readonly knownHosts: string } & (
  | { readonly identityFile: string }
  | { readonly agent: string }
)

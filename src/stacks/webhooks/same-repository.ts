// Whether an address that somebody told is that of a remote. A repository has several: https, ssh, with .git and
// without.
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ssh:': '22', 'git:': '9418' }

/**
 * Host and path, in lower case, whatever the scheme and the user: `github.com/acme/boards`. Of what has no host, the
 * path.
 */
export function repositoryKey(address: string): string {
  const plain = address.replace(/^url:/, '')
  const url = URL.canParse(plain) ? new URL(plain) : undefined
  if (url?.protocol === 'file:') return pathKey(url.pathname)
  if (url !== undefined && url.hostname !== '') return `${hostOf(url)}/${pathKey(url.pathname)}`.toLowerCase()
  const [, host, path] = /^(?:[^@/:]+@)?([^@/:]+):(?!\/\/)(.+)$/s.exec(plain) ?? []
  return (host === undefined ? pathKey(plain) : `${host}/${pathKey(path!)}`).toLowerCase()
}

/** `named`: an address, or only the path on the server. */
export function isSameRepository(remote: string, named: string): boolean {
  const [key, other] = [repositoryKey(remote), repositoryKey(named)]
  return other !== '' && (key === other || key.endsWith(`/${other}`))
}

/** Its address begins with this one, in whole segments. */
export function isBelow(remote: string, prefix: string): boolean {
  const [key, beginning] = [repositoryKey(remote), repositoryKey(prefix)]
  return key === beginning || key.startsWith(`${beginning}/`)
}

function hostOf({ protocol, hostname, port }: URL): string {
  return port === '' || port === defaultPorts[protocol] ? hostname : `${hostname}:${port}`
}

function pathKey(path: string): string {
  return decoded(path)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .toLowerCase()
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

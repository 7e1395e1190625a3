// Selects the proxy for an address: that of its entry under `connections`, else that of the environment, by the same
// rules as Go programs.
import { BlockList, isIP } from 'node:net'
import { Rejected, SyncError, Unavailable } from '../../model/errors.js'
import { parseNetwork } from './parse-network.js'
import { bareHost } from './address-policy.js'

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment. */
export interface Proxies {
  readonly https?: string
  readonly http?: string
  readonly none?: string
}

/** `user`: its credentials. */
export interface Proxy {
  readonly origin: string
  readonly user?: { readonly name: string; readonly password: string }
}

/**
 * The problem with a proxy address, as words after its name; undefined: none. Does not repeat the address, which may
 * contain a password.
 */
export function proxyProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL: http://proxy.example:3128'
  const { protocol, host, username, password, pathname, search, hash } = new URL(text)
  if ((protocol !== 'http:' && protocol !== 'https:') || host === '') return 'must start with http:// or https://.'
  if (username !== '' || password !== '')
    return 'must not contain a username or password: use "proxyUsername" and "proxyPassword".'
  return pathname === '/' && search === '' && hash === '' ? undefined : 'must not contain a path.'
}

/** The proxy of the environment for an address; undefined: none. Throws `Rejected` if the variable is invalid. */
export function environmentProxy(url: URL, { https, http, none = '' }: Proxies): Proxy | undefined {
  const [variable, text] = url.protocol === 'https:' ? ['HTTPS_PROXY', https] : ['HTTP_PROXY', http]
  if (text === undefined || bypassesProxy(url, none)) return undefined
  try {
    return readProxy(text.includes('://') ? text : `http://${text}`)
  } catch {
    throw unusable(variable)
  }
}

function readProxy(address: string): Proxy {
  const { protocol, origin, username, password } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('another scheme')
  if (username === '' && password === '') return { origin }
  return { origin, user: { name: decodeURIComponent(username), password: decodeURIComponent(password) } }
}

/**
 * True for this machine, and for entries of NO_PROXY: `*`, networks, addresses, and domains with their subdomains
 * (`.example.org`: only those), each with an optional port.
 */
function bypassesProxy(url: URL, none: string): boolean {
  const host = bareHost(url).toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')) return true
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return none
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matchesEntry(entry, host, port))
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function matchesEntry(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return isWithin(entry, host)
  const { name, only } = splitPort(entry)
  if (only !== undefined && only !== port) return false
  if (isIP(name) !== 0 || isIP(host) !== 0) return sameAddress(name, host)
  const domain = name.replace(/^\*(?=\.)/, '')
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
}

function splitPort(entry: string): { readonly name: string; readonly only: string | undefined } {
  if (isIP(entry) === 6) return { name: entry, only: undefined }
  const [, name = entry, only] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry) ?? []
  return { name, only }
}

function isWithin(network: string, host: string): boolean {
  const parsed = parseNetwork(network)
  if (parsed === undefined || isIP(host) === 0) return false
  const list = new BlockList()
  list.addSubnet(parsed.address, parsed.bits, parsed.family)
  return list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6')
}

function sameAddress(name: string, host: string): boolean {
  return isIP(name) !== 0 && isWithin(`${name}/${isIP(name) === 4 ? 32 : 128}`, host)
}

function unusable(variable: string): Rejected {
  return new Rejected(`The environment variable ${variable} is not the URL of an http or https proxy.`, {
    code: 'source/proxy',
    hint:
      'Set it to a URL such as http://proxy.example:3128, ' +
      'or configure a proxy under connections in the configuration file.',
  })
}

// Errors of proxies.
/** Messages of undici, for https and for http. */
const asUndiciSays = /^Proxy (?:response|Authentication Required) \((\d{3})\)/

/** The error of a proxy; undefined: another failure. `named`: the requested address and the proxy. */
export function proxyFault(named: string, error: unknown): SyncError | undefined {
  const [, status] = asUndiciSays.exec(error instanceof Error ? error.message : '') ?? []
  return status === undefined ? undefined : proxyRefused(named, Number(status))
}

export function proxyRefused(named: string, status: number): SyncError {
  const says = `Cannot reach ${named}: the proxy answered ${status}`
  if (status === 407)
    return new Rejected(`${says}: its username or password is wrong.`, {
      code: 'source/proxy',
      hint: 'Set "proxyUsername" and "proxyPassword" of an entry under connections in the configuration file.',
    })
  if (status < 500)
    return new Rejected(`${says}: it denies this request.`, {
      code: 'source/proxy',
      hint:
        'Allow that host and port in the proxy, ' +
        'or set "proxy: none" for the address under connections in the configuration file.',
    })
  return new Unavailable(`${says}.`, {
    code: 'source/proxy',
    hint: 'Check whether the proxy can reach that host.',
  })
}

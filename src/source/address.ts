// The one form of a remote's address, and what is refused before anything is asked of it.
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Rejected } from '../model/errors.js'
import { showAddress } from './show-text.js'

const PLAIN = 'Write https://host/path, http://host/path, file:///path or an absolute path.'

function refuse(text: string, code: string, why: string, hint: string): never {
  throw new Rejected(`The address ${showAddress(text)} ${why}.`, { code: `source/${code}`, hint })
}

/**
 * Two addresses that name the same remote have one form: scheme and host in lower case, no default port, no trailing slash, '..' resolved,
 * percent-encoding only where it is needed; an absolute path becomes `file:`. Throws `Rejected`, with its own message for each reason.
 * Looks at nothing but the text: hosts are checked in networks.ts, directories in local-directory.ts.
 */
export function normaliseAddress(text: string): string {
  refuseText(text)
  if (isAbsolute(text)) return trimSlashes(pathToFileURL(text).href)
  refuseUrlText(text)
  const url = parse(text)
  if (url.protocol === 'file:' && url.host !== '') refuse(text, 'bad-address', 'names a host in a file: address', 'Write file:///path.')
  if (/%2f|%5c|%00/i.test(url.pathname)) refuse(text, 'bad-address', 'hides a separator in its path', PLAIN)
  url.pathname = canonicalEncoding(url.pathname)
  return trimSlashes(url.href)
}

function refuseText(text: string): void {
  if (text === '') throw new Rejected('The address is empty.', { code: 'source/bad-address', hint: PLAIN })
  if (text.length > 2000) refuse(text, 'bad-address', 'is longer than 2,000 characters', PLAIN)
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) refuse(text, 'bad-address', 'holds a control character', PLAIN)
  if (text.startsWith('-')) refuse(text, 'bad-address', "begins with '-'", PLAIN)
}

function refuseUrlText(text: string): void {
  if (/[\s\\]/.test(text)) refuse(text, 'bad-address', 'holds white space or a backslash', PLAIN)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined && /^[^/]+@[^/]+:/.test(text)) refuseScheme(text, 'ssh')
  if (scheme === undefined) refuse(text, 'bad-address', 'has no scheme', PLAIN)
  if (scheme !== 'http' && scheme !== 'https' && scheme !== 'file') refuseScheme(text, scheme)
  const host = text.slice(scheme.length + 3).split(/[/?#]/)[0]!
  if (host.includes('@')) {
    refuseUser(text)
  }
  if (scheme !== 'file' && (host === '' || host.startsWith(':'))) refuse(text, 'bad-address', 'has no host', PLAIN)
  if (host.startsWith('-')) refuse(text, 'bad-address', "names a host that begins with '-'", PLAIN)
  if (/[?#]/.test(text)) refuse(text, 'bad-address', 'has a query or a fragment', 'Give the ref and the path as settings of the stack.')
}

function refuseScheme(text: string, scheme: string): never {
  if (/^(ssh|git\+ssh|ssh\+git)$/.test(scheme)) {
    refuse(text, 'scheme', 'is reached by ssh, which comes in a later version', 'Use the https address of the same repository.')
  }
  refuse(text, 'scheme', `has the scheme ${showAddress(scheme)}, which gitmoor does not speak`, PLAIN)
}

function parse(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  return text.includes('@') ? refuseUser(text) : refuse(text, 'bad-address', 'cannot be read', PLAIN)
}

function refuseUser(text: string): never {
  const hint = "Leave it out, and give the credential in the configuration file under 'credentials'."
  refuse(text, 'user-information', 'holds user information', hint)
}

/** Unreserved characters (RFC 3986, 2.3) stand for themselves; hexadecimal digits are in upper case. */
function canonicalEncoding(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase()
  })
}

function trimSlashes(href: string): string {
  return href === 'file:///' ? href : href.replace(/\/+$/, '')
}

// The canonical form of an address, and the problems that its text shows. source/network checks hosts,
// source/directory checks directories.
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Rejected } from '../model/errors.js'
import { quoted, showAddress } from '../lib/text/printable.js'
import { isSsh, normaliseSsh, sshProblem } from '../lib/text/ssh-address.js'

const addressForms = 'Write https://host/path, ssh://user@host/path, user@host:path, file:///path or an absolute path.'
const sshForms =
  'Write ssh://user@host:port/path or user@host:path; put the key into the configuration file under "credentials".'
const relativeAddress = /^(?:file:)?(\.{1,2}(?:\/.*)?)$/s

/**
 * Why an address is refused. `words`: the message after the address or its field. It never repeats the address, which
 * may contain a password.
 */
interface AddressRefusal {
  readonly code: string
  readonly words: string
  readonly hint: string
}

/**
 * Addresses of the same remote get one form: scheme and host in lower case, no default port, no trailing slash, '..'
 * resolved, minimal percent-encoding; an absolute path becomes `file:`. `user@host:path` stays, since its path is
 * relative to a home directory. Throws `Rejected` with a message for each reason.
 */
export function normaliseAddress(text: string): string {
  const fault = addressRefusal(text)
  if (fault !== undefined) {
    const { code, words, hint } = fault
    throw new Rejected(text === '' ? `The address ${words}.` : `The address ${showAddress(text)} ${words}.`, {
      code: `source/${code}`,
      hint,
    })
  }
  if (isAbsolute(text)) return trimSlashes(pathToFileURL(text).href)
  if (isSsh(text)) return normaliseSsh(text)
  const url = new URL(text)
  url.pathname = canonicalEncoding(url.pathname)
  return trimSlashes(url.href)
}

/**
 * The problem of an address in a document, as a message after its field; undefined: its text is valid.
 */
export function addressProblem(text: string): string | undefined {
  if (relativeAddress.test(text))
    return 'is relative. Only the configuration file may use ./…; write the absolute path.'
  const fault = addressRefusal(text)
  return fault && `${fault.words}. ${fault.hint}`
}

/**
 * `./boards`, `../boards` and `file:./boards` become `file:` addresses below `directory`; other addresses stay.
 */
export function resolveAddress(address: string, directory: string): string {
  const match = relativeAddress.exec(address)
  return match ? pathToFileURL(resolve(directory, match[1]!)).href : address
}

function addressRefusal(text: string): AddressRefusal | undefined {
  return textRefusal(text) ?? (isAbsolute(text) ? undefined : (urlTextRefusal(text) ?? urlRefusal(text)))
}

function textRefusal(text: string): AddressRefusal | undefined {
  if (text === '') return badAddress('is empty')
  if (text.length > 2000) return badAddress('is longer than 2,000 characters')
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return badAddress('contains a control character')
  if (text.startsWith('//')) return badAddress('has no scheme')
  return text.startsWith('-') ? badAddress('begins with "-"') : undefined
}

function urlTextRefusal(text: string): AddressRefusal | undefined {
  const helper = /^([a-z0-9+.-]+)::/i.exec(text)?.[1]
  if (helper !== undefined)
    return {
      code: 'scheme',
      words: `names the git remote helper ${quoted(helper)}, which gitmoor does not support`,
      hint: addressForms,
    }
  if (/[\s\\]/.test(text)) return badAddress('contains white space or a backslash')
  if (isSsh(text)) return sshRefusal(text)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return badAddress('has no scheme')
  if (!['http', 'https', 'file'].includes(scheme)) return schemeRefusal(scheme)
  const host = text.slice(scheme.length + 3).split(/[/?#]/)[0]!
  if (host.includes('@')) return credentialRefusal
  if (scheme !== 'file' && (host === '' || host.startsWith(':'))) return badAddress('has no host')
  if (host.startsWith('-')) return badAddress('names a host that begins with "-"')
  return /[?#]/.test(text) ? badAddress('has a query or a fragment', 'Remove everything from ? or # on.') : undefined
}

function sshRefusal(text: string): AddressRefusal | undefined {
  const words = sshProblem(text)
  if (words === undefined) return undefined
  return { code: words.includes('password') ? 'user-information' : 'bad-address', words, hint: sshForms }
}

function urlRefusal(text: string): AddressRefusal | undefined {
  if (isSsh(text)) return undefined
  if (!URL.canParse(text)) return text.includes('@') ? credentialRefusal : badAddress('is not a valid URL')
  const { protocol, host, pathname } = new URL(text)
  if (protocol === 'file:' && host !== '') return badAddress('names a host in a file: address', 'Write file:///path.')
  return /%2f|%5c|%00/i.test(pathname) ? badAddress('contains an encoded separator in its path') : undefined
}

function badAddress(words: string, hint: string = addressForms): AddressRefusal {
  return { code: 'bad-address', words, hint }
}

const credentialRefusal: AddressRefusal = {
  code: 'user-information',
  words: 'contains a username or password',
  hint: 'Remove it, and put the credential into the configuration file under "credentials".',
}

function schemeRefusal(scheme: string): AddressRefusal {
  return {
    code: 'scheme',
    words: `has the scheme ${showAddress(scheme)}, which gitmoor does not support`,
    hint: addressForms,
  }
}

/** Decodes unreserved characters (RFC 3986, 2.3) and writes hexadecimal digits in upper case. */
function canonicalEncoding(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase()
  })
}

function trimSlashes(href: string): string {
  return href === 'file:///' ? href : href.replace(/\/+$/, '')
}

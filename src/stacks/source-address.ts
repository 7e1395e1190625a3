// The address of a repository as a person writes it. The room `source` has the last word; here stands what can be said without looking.
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const relative = /^(?:file:)?(\.{1,2}(?:\/.*)?)$/s

/** `./boards`, `../boards` and `file:./boards` become `file:` addresses below `directory`; everything else stays as it is. */
export function resolveAddress(address: string, directory: string): string {
  const match = relative.exec(address)
  return match ? pathToFileURL(resolve(directory, match[1]!)).href : address
}

/** What is wrong with an address, as words that follow its name; undefined: nothing that can be seen from here. Never repeats the address: it may hold a password. */
export function addressProblem(address: string): string | undefined {
  if (address === '') return 'must not be empty.'
  if (address.length > 2048) return 'is longer than 2048 characters.'
  if (/[\x00-\x20\x7f]/.test(address)) return 'must not hold blanks or control characters.'
  if (relative.test(address)) return 'is relative: only the configuration file may say ./…, elsewhere the whole path is needed.'
  if (isAbsolute(address)) return undefined
  return urlProblem(address)
}

function urlProblem(address: string): string | undefined {
  if (/^[^/]*@[^/]+:/.test(address) || /^(ssh|git):/i.test(address))
    return 'is for ssh, which this version does not speak: use the https address.'
  if (!URL.canParse(address)) return 'is not an address: https://…, http://…, file:///… or an absolute path is needed.'
  const url = new URL(address)
  if (!['https:', 'http:', 'file:'].includes(url.protocol)) return 'must be an https, http or file address.'
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password: put the token under "credentials" in the configuration file of the agent.'
  }
  if (url.search !== '' || url.hash !== '') return 'must not hold ? or #.'
  return undefined
}

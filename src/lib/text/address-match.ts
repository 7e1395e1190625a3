// Which entry of the configuration applies to a URL: the one with the longest `match` that the URL begins with (scheme,
// user if the match has one, host, port, and whole segments of the path).
import { memoize } from '../memoize.js'
import { isSsh, normaliseSsh, toUrl } from './ssh-address.js'

const mostAddresses = 5_000

/** The problem of a match, as words that follow its name; undefined: it is valid. Does not repeat the match. */
export function matchProblem(match: string): string | undefined {
  if (!URL.canParse(match)) return 'must be the beginning of an address: https://github.com/acme/'
  const url = new URL(match)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://.'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password.'
  if (url.search !== '' || url.hash !== '') return 'must not contain ? or #.'
  return undefined
}

/** The canonical form of a match without a `matchProblem` or a `sshMatchProblem`. */
export function canonicalMatch(match: string): URL {
  return new URL(isSsh(match) ? normaliseSsh(match) : match)
}

/** Finds the entry with the longest match that covers a URL. Of matches for the same path one with a user is longer. */
export function byAddress<Entry extends { readonly match: string }>(
  entries: readonly Entry[],
): (address: string) => Entry | undefined {
  const longestFirst = entries
    .map((entry) => ({ entry, match: canonicalMatch(entry.match) }))
    .sort(
      (a, b) => b.match.pathname.length - a.match.pathname.length || b.match.username.length - a.match.username.length,
    )
  return memoize(mostAddresses, (address) => longestFirst.find(({ match }) => covers(match, address))?.entry)
}

/**
 * True if scheme, host and port are equal, and the path begins with whole segments of the match's. A path with an
 * encoded slash could mean another path on the server, so only a match of the whole host covers it.
 */
function covers(match: URL, address: string): boolean {
  if (!URL.canParse(toUrl(address))) return false
  const url = new URL(toUrl(address))
  if (match.protocol !== url.protocol || match.host !== url.host) return false
  if (match.username !== '' && match.username !== url.username) return false
  if (match.pathname === '/') return true
  if (/%2f|%5c/i.test(url.pathname)) return false
  const folder = match.pathname.endsWith('/') ? match.pathname : `${match.pathname}/`
  return url.pathname === match.pathname || url.pathname.startsWith(folder)
}

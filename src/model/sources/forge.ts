// Git hosts, and the web addresses of commits there.
import { toUrl } from '../../lib/text/ssh-address.js'

export const forges = ['github', 'gitlab', 'gitea', 'forgejo'] as const
/** A sort of Git host. It decides the API of commit statuses and the web addresses of commits. */
export type Forge = (typeof forges)[number]

/** Repositories whose address begins with `match`. */
export interface ForgeMatch {
  readonly match: string
  readonly forge: Forge
  /** The https address of its web pages, without a slash at its end. Absent: that of the host, on port 443. */
  readonly web?: string
}

/** Web addresses of a repository, always https: with `{commit}`, and with `{from}` and `{to}`. */
export interface CommitLinks {
  readonly commit: string
  readonly compare: string
}

const knownHosts: Readonly<Record<string, Forge>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'gitea.com': 'gitea',
  'codeberg.org': 'forgejo',
}

/** The forge of an address, by its host; undefined: unknown. */
export function knownForge(address: string): Forge | undefined {
  const url = toUrl(address)
  return URL.canParse(url) ? knownHosts[new URL(url).hostname] : undefined
}

/**
 * `web`: as in `ForgeMatch`; it counts for ssh addresses. undefined: the repository has no https address, or its
 * address has a query.
 */
export function commitLinks(
  address: string,
  { forge, web }: Pick<ForgeMatch, 'forge' | 'web'>,
): CommitLinks | undefined {
  const repository = webAddress(toUrl(address), web)
  if (repository === undefined) return undefined
  const below = forge === 'gitlab' ? `${repository}/-` : repository
  return { commit: `${below}/commit/{commit}`, compare: `${below}/compare/{from}...{to}` }
}

/** Without user and `.git`; of an ssh address without its port, or below `web`. */
function webAddress(address: string, web: string | undefined): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || url.hostname === '' || url.search !== '' || url.hash !== '') return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'ssh:') return undefined
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '')
  if (path === '' || path.startsWith('/~')) return undefined
  const plain = path.replaceAll('{', '%7B').replaceAll('}', '%7D')
  if (url.protocol === 'https:') return `https://${url.host}${plain}`
  return `${web ?? `https://${url.hostname}`}${plain}`
}

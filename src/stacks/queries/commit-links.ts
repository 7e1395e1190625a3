import { commitLinks, knownForge, type CommitLinks } from '../../model/sources/forge.js'
import { isBelow } from '../../source/repository-identity.js'
import type { Context } from '../context.js'

/** Web addresses of the commits of a repository; nothing if its Git host is unknown. */
export function linksOf({ forges }: Pick<Context, 'forges'>, remote: string): { readonly links?: CommitLinks } {
  const declared = forges()
    .filter(({ match }) => isBelow(remote, match))
    .toSorted((a, b) => b.match.length - a.match.length)
  const known = knownForge(remote)
  const host = declared[0] ?? (known === undefined ? undefined : { forge: known })
  const links = host && commitLinks(remote, host)
  return links === undefined ? {} : { links }
}

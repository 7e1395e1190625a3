import { commitLinks, knownForge, type CommitLinks } from '../../model/sources/forge.js'
import { isBelow } from '../../source/repository-identity.js'
import type { Context } from '../context.js'

/** Web addresses of the commits of a repository; nothing if its Git host is unknown. */
export function linksOf({ forges }: Pick<Context, 'forges'>, remote: string): { readonly links?: CommitLinks } {
  const declared = forges()
    .filter(({ match }) => isBelow(remote, match))
    .toSorted((a, b) => b.match.length - a.match.length)
  const forge = declared[0]?.forge ?? knownForge(remote)
  const links = forge && commitLinks(remote, forge)
  return links === undefined ? {} : { links }
}

// Web addresses of commits. Only https: of the API, so that no other text becomes a link.
import type { SourceView } from '../../src/views/stack.js'
import type { ChannelView } from '../data/types.js'

/** Undefined: the Git host is unknown. */
export type Links = ChannelView['links'] | undefined

const commitId = /^[0-9a-f]{40}$/

/** Undefined: there is none. */
export function commitUrl(links: Links, id: string | null | undefined): string | undefined {
  return id !== null && id !== undefined && commitId.test(id)
    ? secure(links?.commit.replaceAll('{commit}', id))
    : undefined
}

/** What differs between two commits. Undefined: there is no address. */
export function compareUrl(
  links: Links,
  from: string | null | undefined,
  to: string | null | undefined,
): string | undefined {
  if (from === null || from === undefined || to === null || to === undefined || from === to) return undefined
  if (!commitId.test(from) || !commitId.test(to)) return undefined
  return secure(links?.compare.replaceAll('{from}', from).replaceAll('{to}', to))
}

/** Of the first git source, whose commit views show. */
export function linksOfSources(sources: readonly SourceView[]): Links {
  const git = sources.find(({ kind }) => kind === 'git')
  return git !== undefined && 'links' in git ? git.links : undefined
}

function secure(url: string | undefined): string | undefined {
  return url?.startsWith('https://') === true ? url : undefined
}

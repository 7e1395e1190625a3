// What a promotion brings: the commits between the tag and the promoted commit.
import type { CommitRangeView } from '../../../src/views/commit.js'
import { useRead } from '../../data/read.js'
import type { PromotionView } from '../../data/types.js'
import { compareUrl } from '../../lib/links.js'
import { counted, firstLine } from '../../lib/text.js'
import { Commit, Empty, Outside, Time } from '../../parts/basics.js'
import { Loaded } from '../../parts/section.js'

const most = 50

interface CommitsProps {
  readonly channel: string
  readonly preview: PromotionView
}

/** A move back shows the commits that the stacks lose. */
export function PromotionCommits({ channel, preview }: CommitsProps) {
  const { before, commit, direction, links } = preview
  const isBack = direction === 'back'
  const [from, to] = isBack ? [commit, before?.commit ?? ''] : [before?.commit ?? '', commit]
  const query = new URLSearchParams({ channel, from, to, limit: String(most) })
  const isKnown = before !== null && before.commit !== commit
  const read = useRead<CommitRangeView>(isKnown ? `channels/commits?${query}` : undefined, () => false)
  if (!isKnown) return null
  const url = compareUrl(links, from, to)
  return (
    <Loaded read={read} rows={3} what="the commits in between">
      {({ items, more }) =>
        items.length === 0 ? (
          <Empty>No commits in between.</Empty>
        ) : (
          <>
            <p>
              {more ? `The newest ${items.length} commits` : counted(items.length, 'commit')}
              {isBack ? ' that the stacks lose' : ' in between'}
              {url !== undefined && (
                <>
                  {', '}
                  <Outside to={url}>compare them</Outside>
                </>
              )}
            </p>
            <ol class="commit-list box" tabIndex={0} aria-label="Commits">
              {items.map(({ id, name, at, message }) => (
                <li key={id}>
                  <Commit id={id} links={links} />
                  <span class="subject">{firstLine(message)}</span>
                  <span class="dim">
                    {name}, <Time at={at} />
                  </span>
                </li>
              ))}
            </ol>
          </>
        )
      }
    </Loaded>
  )
}

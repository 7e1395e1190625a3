// Limits of one pack. They are not configurable: no package needs more, and a larger pack could exhaust the agent.
import { Rejected } from '../../../model/errors.js'

export const packLimits = {
  /** The largest unpacked sum, as a multiple of limits.packBytes. */
  unpackedPerPacked: 8,
  objects: 1_000_000,
  /** The largest commit or tag. Real ones are far smaller. */
  authoredBytes: 1024 * 1024,
  /** The largest folder: its names and IDs. */
  treeBytes: 16 * 1024 * 1024,
  /** The longest chain of deltas; git creates at most 50. */
  deltaDepth: 250,
  /** The largest object that is a delta or a base: both must be in memory. */
  deltaBytes: 128 * 1024 * 1024,
  /** Limits of progress messages, empty packets and packet headers: a base, and a share of the pack's bytes. */
  overheadBytes: 1024 * 1024,
  overheadPerPacked: 1 / 8,
} as const

/** `what` continues the sentence "The pack that REMOTE sent …". */
export function packTooLarge(remote: string, what: string): Rejected {
  return new Rejected(`The pack that ${remote} sent for this commit ${what}.`, {
    code: 'source/pack-too-large',
    hint: 'Move the package to a smaller repository, or raise limits.packBytes.',
  })
}

export function tooMuchOverhead(remote: string): Rejected {
  return new Rejected(
    `The response of ${remote} contains more progress messages and empty packets than a pack needs.`,
    {
      code: 'source/pack-too-large',
      hint: 'gitmoor requests no progress messages. Check the server and any proxy in front of it.',
    },
  )
}

export function deltasTooLarge(remote: string, what: string): Rejected {
  return new Rejected(`The pack that ${remote} sent for this commit ${what}.`, {
    code: 'source/pack-too-large',
    hint:
      'Repack the repository on the server: git repack -a -d -f --depth=50. ' +
      'Or move the package to a repository without such large files.',
  })
}

/** Throws `Rejected` for an oversized commit or tag, because all its headers would be read. */
export function refuseLargeAuthored(remote: string, type: string, bytes: number): void {
  if ((type !== 'commit' && type !== 'tag') || bytes <= packLimits.authoredBytes) return
  throw new Rejected(
    `The pack that ${remote} sent contains a ${type} of more than ${packLimits.authoredBytes} bytes.`,
    {
      code: 'source/pack-too-large',
      hint: `Recreate the ${type} with a shorter message.`,
    },
  )
}

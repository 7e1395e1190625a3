// What one pack may hold. They have no setting: what is beyond is no package but something that wants to exhaust
// whoever reads it.
import { Rejected } from '../../../model/errors.js'

export const packLimits = {
  /** What a pack may unpack to, in sum, as a multiple of limits.packBytes. */
  unpackedPerPacked: 8,
  objects: 1_000_000,
  /** Of a commit or a tag, which real ones are far below. */
  authoredBytes: 1024 * 1024,
  /** Of one folder: its names and ids. */
  treeBytes: 16 * 1024 * 1024,
  /** Differences upon differences; git makes 50. */
  deltaDepth: 250,
  /** Of an object that is a difference to another, and of that other: both have to be in memory. */
  deltaBytes: 128 * 1024 * 1024,
  /** Of progress messages, empty packets and heads of packets, with so much for each byte of the pack. */
  overheadBytes: 1024 * 1024,
  overheadPerPacked: 1 / 8,
} as const

/** `what` follows what the remote sends. */
export function packTooLarge(remote: string, what: string): Rejected {
  return new Rejected(`What ${remote} sends for this commit ${what}.`, {
    code: 'source/pack-too-large',
    hint: 'Keep the package in a smaller repository, or raise limits.packBytes.',
  })
}

export function tooMuchOverhead(remote: string): Rejected {
  return new Rejected(`The answer of ${remote} holds more progress messages and empty packets than a pack needs.`, {
    code: 'source/pack-too-large',
    hint: 'gitmoor asks for no progress messages. Check the server, and a proxy before it.',
  })
}

export function deltasTooLarge(remote: string, what: string): Rejected {
  return new Rejected(`What ${remote} sends for this commit ${what}.`, {
    code: 'source/pack-too-large',
    hint: 'Have the server pack the repository anew: git repack -a -d -f --depth=50. Or keep the package in a repository without such large files.',
  })
}

/** Throws `Rejected` for a commit or a tag that is larger than any real one: all its headers would be read. */
export function refuseLargeAuthored(remote: string, type: string, bytes: number): void {
  if ((type !== 'commit' && type !== 'tag') || bytes <= packLimits.authoredBytes) return
  throw new Rejected(`What ${remote} sends holds a ${type} of more than ${packLimits.authoredBytes} bytes.`, {
    code: 'source/pack-too-large',
    hint: `Make the ${type} anew with a shorter message. Files belong into its tree.`,
  })
}

import { Rejected } from '../../../model/errors.js'
import { shortened } from '../../../lib/text/printable.js'
import type { Authored } from '../../../model/sources/channel.js'
import { decode, commitParents, tagTarget, type ParsedObject } from './git-object.js'
import { splitBody } from '../signatures/signed-bytes.js'

const mostMessage = 4_000
const mostName = 200
/** The latest valid date. */
const lastMoment = 8.64e15

/** The author and message of a commit. Throws `Rejected` if it is not a commit. */
export function readCommit(
  object: ParsedObject,
  { id, remote }: { readonly id: string; readonly remote: string },
): Authored {
  if (commitParents(object.headers) === undefined) throw malformed('commit', id, remote)
  const encoding = object.headers.find(({ key }) => key === 'encoding')?.value
  return authored(object, { who: 'author', message: object.body, encoding })
}

/**
 * The tagger of a tag, its message without a signature, and its name in the tag object. Throws `Rejected` if it is not
 * a tag.
 */
export function readTag(
  object: ParsedObject,
  { id, remote }: { readonly id: string; readonly remote: string },
): Authored & { readonly tag: string } {
  const target = tagTarget(object.headers)
  if (target === undefined) throw malformed('tag', id, remote)
  return {
    ...authored(object, { who: 'tagger', message: splitBody(object.body).message }),
    tag: shortened(target.tag, mostName),
  }
}

/** Missing or malformed fields are empty, and the time is 0: old versions of git allowed that. */
function authored(
  { headers }: ParsedObject,
  {
    who,
    message,
    encoding,
  }: { readonly who: string; readonly message: string; readonly encoding?: string | undefined },
): Authored {
  const text = (latin1: string): string => decode(latin1, encoding)
  const line = headers.find(({ key }) => key === who)?.value ?? ''
  const [, name = '', email = '', seconds = '0'] = /^([^<]*?) ?<([^>]*)>(?: (\d{1,15}) [+-]\d{4})?/.exec(line) ?? []
  const at = Math.min(Number(seconds) * 1000, lastMoment)
  return {
    name: shortened(text(name), mostName),
    email: shortened(text(email), mostName),
    at,
    message: shortened(text(message.slice(0, 4 * mostMessage)).trimEnd(), mostMessage),
  }
}

export function malformed(type: 'commit' | 'tag', id: string, remote: string): Rejected {
  return new Rejected(`The ${type} ${id} of ${remote} is malformed.`, {
    code: 'source/bad-object',
    hint: `Check the repository with git fsck, and recreate the ${type}.`,
  })
}

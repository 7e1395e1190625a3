// `channels` of the configuration file: when stacks may follow a ref that moved.
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { invalidField, asMap } from './entry-problems.js'
import type { Problem } from '../model/problem.js'
import { isSsh, sshMatchProblem } from '../lib/text/ssh-address.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { checkedText, intervalText } from '../settings/schema/checked-text.js'
import { parseInterval } from '../settings/schema/interval.js'
import type { YamlFile } from '../settings/schema/read-yaml.js'
import { withSuggestion } from '../settings/did-you-mean.js'
import { strictObject } from '../settings/schema/strict-object.js'
import type { ChannelPolicy } from '../channel/channel-policy.js'

const longestMs = 31_536_000_000

const minAge = intervalText('15m, 2h').refine(
  (text) => (parseInterval(text) ?? 0) <= longestMs,
  'must be at most 365d.',
)

export const channelDocument = strictObject({
  remote: checkedText(remoteProblem).optional(),
  ref: z.string().min(1, 'must not be empty.').max(255, 'must be at most 255 characters.').optional(),
  moves: z.enum(['any', 'approve-back', 'forward-only']).default('any'),
  minAge: minAge.default('0s'),
  movesPerHour: z.int().min(1).max(1_000).optional(),
  signedBy: z.array(z.string()).min(1, 'must name a key.').optional(),
})

export function toChannelPolicy({
  moves,
  minAge: age,
  remote: given,
  ...rest
}: z.output<typeof channelDocument>): ChannelPolicy {
  const remote = given !== undefined && isAbsolute(given) ? pathToFileURL(given).href : given
  return { ...withoutUndefined({ ...rest, remote }), moves, minAgeMs: parseInterval(age)! }
}

/** Keys that are not declared. */
export function channelProblems(file: YamlFile): readonly Problem[] {
  const { channels, keys } = asMap(file.value)
  const known = Object.keys(asMap(keys))
  return (Array.isArray(channels) ? channels.map(asMap) : []).flatMap(({ signedBy }, at) =>
    (Array.isArray(signedBy) ? signedBy : []).flatMap((name: unknown, nth) => {
      if (typeof name !== 'string' || known.includes(name)) return []
      const wrong = withSuggestion('names a key that is not declared under "keys".', name, known)
      return [invalidField(file, ['channels', at, 'signedBy', nth], wrong)]
    }),
  )
}

function remoteProblem(text: string): string | undefined {
  if (isAbsolute(text)) return undefined
  if (isSsh(text)) return sshMatchProblem(text)
  if (!URL.canParse(text)) return 'must be an address or its beginning, such as https://github.com/acme/ or /srv/git/.'
  const { password, search, hash } = new URL(text)
  if (password !== '') return 'must not contain a password.'
  return search !== '' || hash !== '' ? 'must not contain ? or #.' : undefined
}

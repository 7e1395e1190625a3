import { Option, type Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { PromotedView, PromotionView } from '../../views/channel.js'
import { confirm } from '../confirm.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { shortRevision } from '../text/short-forms.js'
import type { Display } from '../text/text.js'

const path = '/api/v1/channels/promotion'

/** channel promote. */
export function addPromoteVerb(channel: Command, declare: Declare): void {
  const promote = {
    usage: 'promote FROM TO',
    summary: 'move the tag TO in the repository to where FROM leads now',
    example: 'channel promote beta stable --why "a week without complaints"',
    notes:
      'FROM: a channel (what is released of it), a tag, a branch, or a commit of 40 digits. TO: a channel that follows a tag, or another tag of that repository.\n' +
      'The credential of the repository needs `push: true` in the configuration file.',
    options: [
      new Option('--why <TEXT>', 'the reason, for the record and the message of the tag').makeOptionMandatory(),
      ['--yes', 'do not ask'],
    ],
  } as const
  declare<{ why: string; yes?: true }>(channel, promote, async (at, [from = '', to = ''], { why, yes }) => {
    const shown = await at.client.request<PromotionView>('GET', path, { query: { from, to } })
    if (yes !== true) {
      at.out.message((look) => promotionLines(shown, look))
      await confirm(at, `Move the tag ${shown.tag} in ${shown.remote}?`)
    }
    const expects = { commit: shown.commit, object: shown.before?.object ?? null }
    const done = await at.client.request<PromotedView>('POST', path, { body: { from, to, why, expects } })
    at.out.answer(done, (look) => promotedLines(done, look))
    return exitCode.ok
  })
}

function promotionLines(
  { tag, from, before, commit, forward, stacks }: PromotionView,
  { style }: Display,
): readonly string[] {
  const was = before === null ? 'new' : shortRevision(before.commit)
  const way = before === null || forward === true ? '' : forward === false ? ', back' : ', not proven to go forward'
  const followers = stacks.length === 0 ? 'no stack follows it' : `followed by ${stacks.map(printable).join(' ')}`
  return [`${style.bold(printable(tag))}: ${was} → ${shortRevision(commit)} (${printable(from)}${way}), ${followers}`]
}

function promotedLines({ tag, commit, object, runs }: PromotedView, { style }: Display): readonly string[] {
  const follow = runs.length === 0 ? '' : ` Runs: ${runs.map(printable).join(' ')}.`
  return [
    `${style.bold(printable(tag))} is at ${shortRevision(commit)}, by the tag object ${shortRevision(object)}.${follow}`,
  ]
}

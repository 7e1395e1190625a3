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
    summary: 'move the tag TO in the repository to the commit of FROM',
    example: 'channel promote beta stable --why "a week without complaints"',
    notes:
      'FROM: a channel (its released commit), a tag, a branch, or a commit of 40 digits.\n' +
      'TO: a channel that follows a tag, or another tag of that repository.\n' +
      'The credential of the repository needs `push: true` in the configuration file.',
    options: [
      new Option(
        '--why <TEXT>',
        'the reason, shown in the history and in the message of the tag',
      ).makeOptionMandatory(),
      ['--yes', 'skip the confirmation'],
    ],
  } as const
  declare<{ why: string; yes?: true }>(channel, promote, async (cli, [from = '', to = ''], { why, yes }) => {
    const preview = await cli.client.request<PromotionView>('GET', path, { query: { from, to } })
    if (yes !== true) {
      cli.out.message((display) => promotionLines(preview, display))
      await confirm(cli, `Move tag ${preview.tag} in ${preview.remote}?`)
    }
    const expects = { commit: preview.commit, object: preview.before?.object ?? null }
    const promoted = await cli.client.request<PromotedView>('POST', path, { body: { from, to, why, expects } })
    cli.out.answer(promoted, (display) => promotedLines(promoted, display))
    return exitCode.ok
  })
}

function promotionLines(
  { tag, from, before, commit, forward, stacks }: PromotionView,
  { style }: Display,
): readonly string[] {
  const old = before === null ? 'new' : shortRevision(before.commit)
  const direction = before === null || forward === true ? '' : forward === false ? ', backward' : ', direction unknown'
  const followers = stacks.length === 0 ? 'no followers' : `followed by ${stacks.map(printable).join(' ')}`
  return [
    `${style.bold(printable(tag))}: ${old} → ${shortRevision(commit)} (${printable(from)}${direction}), ${followers}`,
  ]
}

function promotedLines({ tag, commit, object, runs }: PromotedView, { style }: Display): readonly string[] {
  const started = runs.length === 0 ? '' : ` Runs: ${runs.map(printable).join(' ')}.`
  return [
    `Moved ${style.bold(printable(tag))} to ${shortRevision(commit)} (tag object ${shortRevision(object)}).${started}`,
  ]
}

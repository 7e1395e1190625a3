import type { Command } from 'commander'
import type { PromotedView, PromotionView } from '../../../views/channel.js'
import { confirm, type ConfirmOptions } from '../../confirm.js'
import { exitCode } from '../../exit-code.js'
import type { Declare } from '../../invocation.js'
import { promotedLines, promotionLines } from '../../text/promotion-text.js'
import { requiredWhyOption, yesOption } from '../shared-options.js'

const path = '/api/v1/channels/promotion'

/** channel promote. */
export function addPromoteVerb(channel: Command, declare: Declare): void {
  const promote = {
    usage: 'promote FROM TO',
    summary: 'move the tag TO in the repository to the commit of FROM',
    example: 'channel promote beta stable --why "a week without complaints"',
    notes:
      'Shows what changes on each stack that follows TO, and asks for confirmation.\n' +
      'FROM: a channel (its released commit), a tag, a branch, or a commit of 40 digits.\n' +
      'TO: a channel that follows a tag, or another tag of that repository. The message of the tag contains --why.\n' +
      'The credential of the repository needs `push: true` in the configuration file.',
    options: [requiredWhyOption(), yesOption],
  } as const
  declare<{ why: string } & ConfirmOptions>(channel, promote, async (cli, [from = '', to = ''], { why, yes }) => {
    const shown = !cli.out.json
    const query = { from, to, plans: String(shown) }
    const preview = await cli.client.request<PromotionView>('GET', path, { query })
    const isThere = preview.before?.commit === preview.commit
    if (shown && !isThere) cli.out.message((display) => promotionLines(preview, display))
    if (!isThere) await confirm(cli, `Move tag ${preview.tag} in ${preview.remote}?`, { yes })
    const expects = { commit: preview.commit, object: preview.before?.object ?? null }
    const promoted = await cli.client.request<PromotedView>('POST', path, { body: { from, to, why, expects } })
    cli.out.answer(promoted, (display) => promotedLines(promoted, display))
    return exitCode.ok
  })
}

import type { Command } from 'commander'
import type { PromotedView, PromotionView } from '../../../views/channel.js'
import { CliError } from '../../errors/cli-error.js'
import { exitCode, isBlockedMove, worstExitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import { errorLines } from '../../text/error-text.js'
import { promotedLines, promotionLines, promotionQuestion } from '../../text/promotion-text.js'
import type { Display } from '../../text/text.js'
import { requiredWhyOption, yesOption } from '../shared-options.js'
import { channelAddress } from './channel-move.js'
import { allowFailedOption, confirmPlans, failedPlansNote, type PlansOptions } from './confirm-plans.js'
import { finishMoves, noWaitOption } from './finish-moves.js'

const path = '/api/v1/channels/promotion'

/** channel promote. */
export function addPromoteVerb(channel: Command, declare: Declare): void {
  const promote = {
    usage: 'promote FROM TO',
    summary: 'move the tag TO in the repository to the commit of FROM',
    example: 'channel promote beta stable --why "a week without complaints"',
    notes:
      'Polls the repository, shows what changes on each stack that follows TO, and asks for confirmation.\n' +
      'The commit that it shows is the one that it promotes: if FROM or TO moves meanwhile, it moves nothing.\n' +
      `${failedPlansNote('promote')}\n` +
      'FROM: a channel (its released commit), a tag, a branch, or a commit of 40 digits.\n' +
      'TO: a channel that follows a tag, or another tag of that repository. The message of the tag contains --why.\n' +
      'The credential of the repository needs `push: true` in the configuration file.',
    options: [requiredWhyOption(), yesOption, allowFailedOption('promote'), noWaitOption],
  } as const
  declare<PromoteOptions>(channel, promote, async (cli, names, { wait, ...options }) => {
    const [from = '', to = ''] = await Promise.all(names.map((name) => channelAddress(name, cli.cwd)))
    const promoted = await promoteShown(cli, { from, to, ...options })
    const code = await finishMoves(cli, promoted, (display) => promotedLines(promoted, display), wait)
    return worstExitCode([code, promoted.blockers.some(isBlockedMove) ? exitCode.needsApproval : exitCode.ok])
  })
}

interface PromoteOptions extends PlansOptions {
  readonly why: string
  readonly wait: boolean
}

interface Promotion extends Omit<PromoteOptions, 'wait'> {
  readonly from: string
  readonly to: string
}

/** If FROM or TO moves before the answer of a person, it shows the new preview and asks again. */
async function promoteShown(cli: Invocation, promotion: Promotion): Promise<PromotedView> {
  const { from, to, why, yes } = promotion
  const query = { from, to, plans: 'true' }
  const preview = await cli.client.request<PromotionView>('GET', path, { query })
  const isThere = preview.before?.commit === preview.commit
  if (!isThere) await confirmShown(cli, preview, promotion)
  const expects = { commit: preview.commit, object: preview.before?.object ?? null }
  try {
    return await cli.client.request<PromotedView>('POST', path, { body: { from, to, why, expects } })
  } catch (error) {
    const isStale = error instanceof CliError && error.code === 'stacks/stale-promotion'
    if (!isStale || yes === true) throw error
    cli.out.message(({ style }) => errorLines(error, style))
    return promoteShown(cli, promotion)
  }
}

async function confirmShown(cli: Invocation, preview: PromotionView, options: PlansOptions): Promise<void> {
  const lines = (display: Display): readonly string[] => promotionLines(preview, display)
  await confirmPlans(cli, { ...preview, verb: 'promote', question: promotionQuestion(preview), lines }, options)
}

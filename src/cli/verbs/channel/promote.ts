import type { Command } from 'commander'
import type { Problem } from '../../../model/problem.js'
import type { ErrorBody } from '../../../views/error.js'
import type { PromotedView, PromotionView } from '../../../views/channel.js'
import { CliError } from '../../errors/cli-error.js'
import { confirm, type ConfirmOptions } from '../../confirm.js'
import { exitCode, exitCodeOfStatus, isBlockedMove, worstExitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import { errorLines } from '../../text/error-text.js'
import { promotedLines, promotionLines, promotionQuestion } from '../../text/promotion-text.js'
import { requiredWhyOption, yesOption } from '../shared-options.js'
import { channelAddress } from './channel-move.js'
import { finishMoves, noWaitOption } from './finish-moves.js'

const path = '/api/v1/channels/promotion'

const allowFailed = 'allow-failed-plans'

/** channel promote. */
export function addPromoteVerb(channel: Command, declare: Declare): void {
  const promote = {
    usage: 'promote FROM TO',
    summary: 'move the tag TO in the repository to the commit of FROM',
    example: 'channel promote beta stable --why "a week without complaints"',
    notes:
      'Polls the repository, shows what changes on each stack that follows TO, and asks for confirmation.\n' +
      'The commit that it shows is the one that it promotes: if FROM or TO moves meanwhile, it moves nothing.\n' +
      'If a stack cannot be planned at the commit, --yes promotes nothing, and ends with the exit code of the plan.\n' +
      'FROM: a channel (its released commit), a tag, a branch, or a commit of 40 digits.\n' +
      'TO: a channel that follows a tag, or another tag of that repository. The message of the tag contains --why.\n' +
      'The credential of the repository needs `push: true` in the configuration file.',
    options: [
      requiredWhyOption(),
      yesOption,
      [`--${allowFailed}`, 'with --yes: promote although a stack cannot be planned at the commit'],
      noWaitOption,
    ],
  } as const
  declare<PromoteOptions>(channel, promote, async (cli, names, { wait, ...options }) => {
    const [from = '', to = ''] = await Promise.all(names.map((name) => channelAddress(name, cli.cwd)))
    const promoted = await promoteShown(cli, { from, to, ...options })
    const code = await finishMoves(cli, promoted, (display) => promotedLines(promoted, display), wait)
    return worstExitCode([code, promoted.blockers.some(isBlockedMove) ? exitCode.needsApproval : exitCode.ok])
  })
}

interface PromoteOptions extends ConfirmOptions {
  readonly why: string
  readonly allowFailedPlans?: true
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

/** Only a person who sees the errors promotes a commit that a stack cannot be planned at. */
async function confirmShown(cli: Invocation, preview: PromotionView, promotion: Promotion): Promise<void> {
  const { yes, allowFailedPlans = false } = promotion
  if (!cli.out.json) cli.out.message((display) => promotionLines(preview, display))
  const isAsked = yes !== true && cli.interactive
  if (!isAsked && !allowFailedPlans) refuseUnplannable(cli, preview)
  await confirm(cli, promotionQuestion(preview), { yes })
}

function refuseUnplannable(cli: Invocation, { plans = [], commit }: PromotionView): void {
  const failed = plans.flatMap(({ stack, error }) => (error === undefined ? [] : [{ stack, error }]))
  if (failed.length === 0) return
  const exit = worstExitCode(failed.map(({ error }) => exitCodeOfStatus(error.status)))
  const { status, code } = failed.find(({ error }) => exitCodeOfStatus(error.status) === exit)!.error
  const stacks = failed.map(({ stack }) => stack).join(', ')
  throw new CliError(exit, `Nothing was promoted: ${stacks} cannot be planned at ${commit.slice(0, 7)}.`, {
    code,
    status,
    problems: cli.out.json ? failed.map(({ stack, error }) => problemOf(stack, error)) : [], // else they are above
    hint: `Repair it, then promote again.\nPromote anyway: --yes --${allowFailed}`,
  })
}

function problemOf(stack: string, { code, message }: ErrorBody): Problem {
  return { severity: 'error', code, message: `${stack}: ${message}` }
}

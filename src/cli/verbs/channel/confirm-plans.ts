// Commands that move the stacks of a channel to a commit: they show the plans at the commit, and ask. Without a
// question they refuse a commit at which a stack cannot be planned.
import type { Problem } from '../../../model/problem.js'
import type { PinPreview } from '../../../views/channel.js'
import type { ErrorBody } from '../../../views/errors/error.js'
import { confirm, type ConfirmOptions } from '../../confirm.js'
import { CliError } from '../../errors/cli-error.js'
import { exitCodeOfStatus, worstExitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import type { Display } from '../../text/text.js'

const option = 'allow-failed-plans'

/** What a command of the channel does, for its messages. */
const participles = { promote: 'promoted', pin: 'pinned', approve: 'approved' } as const

type MovingVerb = keyof typeof participles

/** Options of commands that move the stacks of a channel to a commit. */
export interface PlansOptions extends ConfirmOptions {
  readonly allowFailedPlans?: true
}

/** Declares `--allow-failed-plans`. */
export function allowFailedOption(verb: MovingVerb): readonly [string, string] {
  return [`--${option}`, `with --yes: ${verb} although a stack cannot be planned at the commit`]
}

/** For the help of a command. */
export function failedPlansNote(verb: MovingVerb): string {
  const { [verb]: participle } = participles
  return `If a stack cannot be planned at the commit, --yes ends with the exit code of the plan. Nothing is ${participle}.`
}

/** The plans that a person confirms. `lines`: what to show, except with `--json`. */
export interface ShownPlans extends Pick<PinPreview, 'commit' | 'plans'> {
  readonly verb: MovingVerb
  readonly question: string
  readonly lines: (display: Display) => readonly string[]
}

/**
 * Shows the plans, and returns only if a person agrees or `--yes` is given. Errors: those of `confirm`; if nobody is
 * asked, the exit code of a failed plan, unless `--allow-failed-plans` is given.
 */
export async function confirmPlans(
  cli: Invocation,
  shown: ShownPlans,
  { yes, allowFailedPlans }: PlansOptions,
): Promise<void> {
  if (!cli.out.json) cli.out.message(shown.lines)
  const isAsked = yes !== true && cli.interactive
  if (!isAsked && allowFailedPlans !== true) refuseFailed(cli, shown)
  await confirm(cli, shown.question, { yes })
}

function refuseFailed(cli: Invocation, { verb, commit, plans = [] }: ShownPlans): void {
  const failed = plans.flatMap(({ stack, error }) => (error === undefined ? [] : [{ stack, error }]))
  if (failed.length === 0) return
  const exit = worstExitCode(failed.map(({ error }) => exitCodeOfStatus(error.status)))
  const { status, code } = failed.find(({ error }) => exitCodeOfStatus(error.status) === exit)!.error
  const stacks = failed.map(({ stack }) => stack).join(', ')
  const nothing = `Nothing was ${participles[verb]}`
  throw new CliError(exit, `${nothing}: ${stacks} cannot be planned at ${commit.slice(0, 7)}.`, {
    code,
    status,
    problems: cli.out.json ? failed.map(({ stack, error }) => problemOf(stack, error)) : [], // else they are above
    hint: `Repair it, then ${verb} again.\n${verb[0]!.toUpperCase()}${verb.slice(1)} anyway: --yes --${option}`,
  })
}

function problemOf(stack: string, { code, message }: ErrorBody): Problem {
  return { severity: 'error', code, message: `${stack}: ${message}` }
}

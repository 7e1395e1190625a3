// `stack create --dry-run`: the plan of the first sync of a stack that does not exist yet.
import { printable } from '../../../lib/text/printable.js'
import type { StackDocument } from '../../../settings/documents/stack-document.js'
import type { PlanView } from '../../../views/plan.js'
import { exitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { asPreview, planLines } from '../../text/plan/plan-text.js'
import { problemLines } from '../../text/problem-text.js'
import { inFull } from '../../text/text.js'
import { namingMissing, type StackOptions } from './stack-options.js'
import type { CreatePreviewOptions } from './create-preview-options.js'

const seeAll = 'the same command with --full'

export async function previewCreate(
  cli: Invocation,
  body: StackDocument,
  { full, detailedExitcode, ...options }: StackOptions & CreatePreviewOptions,
): Promise<number> {
  const request = cli.client.request<PlanView>('POST', '/api/v1/stacks/plan-create', { body })
  const plan = await namingMissing(request, options, cli.cwd)
  cli.out.answer(plan, (display) => [
    `Would create ${printable(body.name)}. Nothing is created yet.`,
    'Plan of its first sync:',
    '',
    ...planLines(asPreview(plan), inFull(display, full), seeAll),
  ])
  if (!cli.out.json) cli.out.message(({ style }) => plan.problems.flatMap((problem) => problemLines(problem, style)))
  return detailedExitcode === true && plan.changes.length > 0 ? exitCode.changes : exitCode.ok
}

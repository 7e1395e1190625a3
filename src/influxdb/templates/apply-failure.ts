// The message of a failed apply, in the format of the InfluxDB API: a line for each resource that failed.
import { resourceTypes } from '../kinds/kinds.js'
import { familyOf, nameOf } from '../../model/address.js'
import { Refused, type RefusedStatus } from '../../model/errors.js'
import { errorsOf, type Problem } from '../../model/problem.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'

/** `left`: the stack that was made for this apply and stays, because something could not be undone. */
export function describeFailure(run: Run, left: Stack | undefined): Refused {
  const errors = errorsOf(run.problems)
  const [first] = errors
  const refusedStatus = first && statusesOfRefusals[first.code]
  if (refusedStatus !== undefined) return new Refused(refusedStatus, first!.message, first)
  const failed = errors.filter(({ code }) => !isOfUndo(code))
  const remains = errors.filter(({ code }) => isOfUndo(code))
  const head = run.phase === 'undoing' ? 'The apply failed, and is undone once the target answers.' : headline(run)
  const parts = [
    head,
    ...failed.map(failureLine),
    ...(remains.length === 0 ? [] : ['Not undone:', ...remains.map(failureLine)]),
  ]
  const hint = left === undefined ? {} : { hint: `The stack ${left.id} stays, and records what is left.` }
  return new Refused(
    run.outcome === 'superseded' || run.outcome === 'cancelled' ? 'conflict' : 'failed',
    parts.join('\n\t'),
    {
      code: 'stacks/apply-failed',
      ...hint,
      problems: run.problems,
    },
  )
}

/** Nothing was written: a stack that the apply takes from was suspended, or its window closed, after the request. */
const statusesOfRefusals: Readonly<Record<string, RefusedStatus>> = {
  'stacks/window-closed': 'needs-approval',
  'stacks/suspended': 'locked',
}

function headline({ outcome, problems }: Run): string {
  if (outcome === 'undone') return 'The apply failed and was undone.'
  if (outcome === 'failed' || outcome === 'needs-approval') return 'The apply failed before anything was written.'
  return `The apply ended ${outcome ?? 'unfinished'}${problems.length === 0 ? '.' : ':'}`
}

function isOfUndo(code: string): boolean {
  return code === 'engine/undo-failed' || code === 'engine/undo-skipped'
}

function failureLine({ about, message }: Problem): string {
  const type = about === undefined ? undefined : resourceTypes[familyOf(about)]
  if (about === undefined) return message
  return (
    `resource_type=${JSON.stringify(type ?? familyOf(about))} metadata_name=${JSON.stringify(nameOf(about))} ` +
    `err_msg=${JSON.stringify(message)}`
  )
}

// Statuses of the commits of a stack's newest run. Pure. A status says how the run ended, not why: it may be public.
import type { CommitState, CommitStatus } from '../model/agent/message.js'
import { hashDigits, revisionHash, sourceRevisions } from '../model/sources/revision.js'
import type { CauseKind, Run } from '../model/stacks/run.js'
import type { Counts } from '../model/resources/change.js'
import { currentFailure, isCancelled, type StatusInput } from '../status/axes.js'

type Words = Pick<CommitStatus, 'state' | 'description'>

/** Runs that gitmoor repeats by itself. They change the status of a commit only by another result. */
const automatic: readonly CauseKind[] = ['retry', 'drift', 'recovery', 'schedule']

/** The statuses after `before`; equal ones are the same objects. */
export function commitStatuses(input: StatusInput, before: readonly CommitStatus[]): readonly CommitStatus[] {
  const { stack, last } = input
  if (last === undefined || last.intent !== 'sync' || last.revision === '') return before
  const words = isCancelled(input)
    ? { state: 'canceled' as const, description: `Run ${last.id} was cancelled.` }
    : statusWords(last, currentFailure(input)?.code ?? last.problems[0]?.code)
  if (words === undefined) return before
  return commitsOf(input, last).map(({ remote, commit }) => {
    const known = before.find((one) => one.remote === remote && one.commit === commit)
    if (known !== undefined && !isNews(known, words, last)) return known
    return { stack: stack.spec.name, remote, commit, run: last.id, ...words }
  })
}

/** How pending statuses of commits end that the newest run does not apply. `runs`: their runs, by id. */
export function endedStatuses(
  before: readonly CommitStatus[],
  now: readonly CommitStatus[],
  { last, runs }: { readonly last: Run | undefined; readonly runs: ReadonlyMap<string, Run> },
): readonly CommitStatus[] {
  const by = last === undefined ? '' : ` by run ${last.id}`
  const isGone = ({ remote, commit }: CommitStatus): boolean =>
    !now.some((one) => one.remote === remote && one.commit === commit)
  return before
    .filter((one) => one.state === 'pending' && isGone(one))
    .map((one) => {
      const run = runs.get(one.run)
      const words = run && statusWords(run, run.problems[0]?.code)
      const superseded: Words = { state: 'canceled', description: `Superseded${by}.` }
      return { ...one, ...(words === undefined || words.state === 'pending' ? superseded : words) }
    })
}

function isNews(known: CommitStatus, { state, description }: Words, { id, cause, outcome }: Run): boolean {
  if (automatic.includes(cause.kind)) return outcome !== null && state !== known.state
  return known.run !== id || known.state !== state || known.description !== description
}

/** Of each git source, once. Nothing if the stack had other sources when the run was queued. */
function commitsOf({ stack }: StatusInput, { revision }: Run): readonly Pick<CommitStatus, 'remote' | 'commit'>[] {
  const revisions = sourceRevisions(revision)
  const { sources } = stack.spec
  if (revisions.length !== sources.length) return []
  const found = new Map<string, Pick<CommitStatus, 'remote' | 'commit'>>()
  for (const [at, source] of sources.entries()) {
    const hash = revisionHash(revisions[at]!)
    if (source.kind !== 'git' || !/^sha1:[0-9a-f]{40}$/.test(hash)) continue
    found.set(`${source.url} ${hash}`, { remote: source.url, commit: hashDigits(hash) })
  }
  return [...found.values()]
}

/** undefined: the run does not decide it. */
function statusWords({ id, outcome, changes }: Run, code: string | undefined): Words | undefined {
  const words = (state: CommitState, description: string): Words => ({ state, description })
  switch (outcome) {
    case null:
      return words('pending', `Run ${id} is queued or in progress.`)
    case 'needs-approval':
      return words('pending', `Run ${id} needs approval${countsText(changes)}.`)
    case 'applied':
      return words('success', `Run ${id} applied the commit${countsText(changes)}.`)
    case 'unchanged':
      return words('success', `Run ${id} found nothing to change.`)
    case 'failed':
    case 'undone': {
      const ended = outcome === 'undone' ? 'failed, and its changes were reverted' : 'failed'
      return words('failure', `Run ${id} ${ended}${code === undefined ? '' : ` (${code})`}.`)
    }
    case 'interrupted':
      return words('pending', `Run ${id} was interrupted, and another run recovers it.`)
    case 'cancelled':
      return words('canceled', `Run ${id} was cancelled.`)
    case 'superseded':
      return undefined
  }
}

function countsText(counts: Counts | null): string {
  if (counts === null) return ''
  return `: ${counts.create} created, ${counts.update} updated, ${counts.remove} removed`
}

// The promises of channels, compared with what authors pushed and what was written.
import type { DecisionView, MoveView } from '../../src/views/channel.js'
import type { RunView } from '../../src/views/run.js'
import type { Scene } from './actions.js'
import type { Write } from './ledger.js'
import { isForward, type Commit, type Follower } from './world.js'

/** What is known of one channel: its moves and decisions, the oldest first. */
export interface ChannelRecord {
  readonly name: string
  readonly moves: readonly MoveView[]
  readonly decisions: readonly DecisionView[]
}

/** Each move begins where the one before it ended: none is missing. */
export function everyMoveIsARow({ violated }: Scene, { name, moves }: ChannelRecord): void {
  for (const [at, move] of moves.entries()) {
    const before = at === 0 ? null : moves[at - 1]!.to
    if (move.from?.object !== before?.object)
      violated(
        `move ${move.id} of ${name} begins at ${move.from?.object}, and the one before it ended at ${before?.object} (promise 1)`,
      )
  }
}

/** What was released of a channel that only goes forward has what was released before it among its ancestors. */
export function onlyForward({ violated }: Scene, { project }: Follower, { name, moves }: ChannelRecord): void {
  const commitOf = (id: string | undefined): Commit | undefined => project.commits.find((commit) => commit.id === id)
  const released = moves.filter(({ releasedAt }) => releasedAt !== null).toSorted((a, b) => Number(a.id) - Number(b.id))
  for (const [at, move] of released.entries()) {
    const [from, to] = [commitOf(released[at - 1]?.to?.commit), commitOf(move.to?.commit)]
    if (to === undefined) violated(`move ${move.id} of ${name} leads to ${move.to?.commit}, which nobody pushed`)
    else if (from !== undefined && !isForward(from, to))
      violated(`move ${move.id} of ${name} was released, and goes back`)
  }
}

interface Written {
  readonly scene: Scene
  readonly follower: Follower
  readonly channel: ChannelRecord
  /** A run that was not undone, with what it wrote. */
  readonly run: RunView
  readonly during: readonly Write[]
}

/** Nothing of a revision that was not released or pinned is written. */
export function onlyReleasedIsWritten({ scene, follower, channel, run, during }: Written): void {
  if (during.length === 0) return
  const commit = commitOf(run)
  const released = channel.moves.some(
    ({ to, releasedAt, state }) => to?.commit === commit && (releasedAt !== null || state === 'released'),
  )
  const pinned = channel.decisions.some((decision) => decision.kind === 'pin' && decision.commit === commit)
  if (!released && !pinned)
    scene.violated(
      `run ${run.id} of ${follower.name} wrote ${commit}, which was never released: ${JSON.stringify(during[0])}`,
    )
}

/** A stack that a person rolled back to that commit is not meant: drift there is corrected to the commit, too. */
export function nothingVetoedIsWritten(written: Written, runs: readonly RunView[]): void {
  const { scene, follower, channel, run, during } = written
  const commit = commitOf(run)
  if (run.cause.kind === 'person' || commit === '' || isRolledBackTo(run, runs)) return
  for (const veto of scene.vetoes.filter((one) => one.channel === channel.name && one.commit === commit)) {
    const again = channel.moves.find(
      ({ to, observedAt, state }) => to?.commit === commit && state !== 'vetoed' && Date.parse(observedAt) > veto.from,
    )
    const to = Math.min(veto.to, again === undefined ? Number.POSITIVE_INFINITY : Date.parse(again.observedAt))
    const write = during.find((one) => one.from > veto.from && one.from < to)
    if (write !== undefined)
      scene.violated(`run ${run.id} of ${follower.name} wrote ${commit}, which is vetoed: ${JSON.stringify(write)}`)
  }
}

/** A person rolled the stack back to the commit of the run, and no other commit was attempted since. */
function isRolledBackTo(run: RunView, runs: readonly RunView[]): boolean {
  const commit = commitOf(run)
  const before = runs.slice(0, runs.indexOf(run)).filter((one) => commitOf(one) !== '')
  const other = before.findLastIndex((one) => commitOf(one) !== commit)
  return before.slice(other + 1).some(({ cause }) => cause.decision === 'rollback')
}

export function commitOf({ revision }: Pick<RunView, 'revision'>): string {
  return revision.slice(revision.lastIndexOf(':') + 1)
}

// The promises of gitmoor, checked against what the authors pushed, what the targets have, what was written to them and
// what the history lists.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChannelView, DecisionView, MoveView } from '../../src/views/channel.js'
import type { TargetResource } from '../../src/views/resource.js'
import type { RunRow, RunView } from '../../src/views/run.js'
import type { StackRow } from '../../src/views/stack.js'
import { holdsFields, isSystems, type Item } from '../random/package-model.js'
import { handMade, type Scene } from './actions.js'
import {
  commitOf,
  everyMoveIsARow,
  nothingVetoedIsWritten,
  onlyForward,
  onlyReleasedIsWritten,
  type ChannelRecord,
} from './channel-promises.js'
import { readLedger, type Write } from './ledger.js'
import { canaries, channelOf, type Follower } from './world.js'

export interface Findings {
  readonly stacks: number
  readonly runs: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly moves: Readonly<Record<string, number>>
  readonly learnt: Readonly<Record<string, number>>
  readonly writes: number
  readonly resources: number
}

interface Evidence {
  readonly scene: Scene
  readonly follower: Follower
  /** The channel that it follows. */
  readonly channel: ChannelRecord
  readonly runs: readonly RunView[]
  readonly writes: readonly Write[]
}

/** Everything, once it is quiet. Violations go to the scene. */
export async function checkPromises(
  scene: Scene,
  { ledger, directory }: { readonly ledger: string; readonly directory: string },
): Promise<Findings> {
  const writes = readLedger(ledger)
  const records = await recordsOfChannels(scene)
  const rows = new Map((await scene.agent.all<StackRow>('/api/v1/stacks')).map((row) => [row.name, row]))
  const outcomes: Record<string, number> = {}
  let [runs, resources] = [0, 0]
  for (const follower of scene.followers) {
    const evidence = {
      scene,
      follower,
      channel: records.get(channelOf(scene.network.remoteOf(follower.project), follower.ref))!,
      runs: await runsOf(scene, follower.name),
      writes: agentsOwn(scene, writes.get(follower.target) ?? []),
    }
    runs += evidence.runs.length
    for (const { outcome } of evidence.runs) outcomes[outcome ?? 'none'] = (outcomes[outcome ?? 'none'] ?? 0) + 1
    releasedIsAttempted(evidence)
    channelsAreObeyed(evidence)
    newestWins(evidence, rows.get(follower.name))
    oneWriter(evidence)
    plannedIsApplied(evidence)
    nothingWhileItWaits(evidence)
    nothingWhileSuspended(evidence)
    resources += await targetIsAsDeclared(evidence)
  }
  noSecrets(scene, directory)
  for (const record of records.values()) everyMoveIsARow(scene, record)
  const all = [...records.values()].flatMap(({ moves }) => moves)
  const [moves, learnt] = [countBy(all.map(({ state }) => state)), countBy(all.map((move) => move.detectedBy))]
  return { stacks: rows.size, runs, outcomes, moves, learnt, writes: [...writes.values()].flat().length, resources }
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

/** Of those that stacks follow, by name. */
async function recordsOfChannels({ agent }: Scene): Promise<ReadonlyMap<string, ChannelRecord>> {
  const records = new Map<string, ChannelRecord>()
  for (const { name } of await agent.all<ChannelView>('/api/v1/channels')) {
    const ask = `channel=${encodeURIComponent(name)}`
    const moves = (await agent.all<MoveView>(`/api/v1/channels/moves?${ask}`)).toReversed()
    const decisions = (await agent.all<DecisionView>(`/api/v1/channels/decisions?${ask}`)).toReversed()
    records.set(name, { name, moves, decisions })
  }
  return records
}

async function runsOf({ agent }: Scene, name: string): Promise<readonly RunView[]> {
  const rows = await agent.all<RunRow>(`/api/v1/stacks/${name}/runs`)
  const runs: RunView[] = []
  for (const { id } of rows.toReversed())
    runs.push((await agent.ask('GET', `/api/v1/stacks/${name}/runs/${id}`)).body as RunView)
  return runs
}

function isFailedRecovery(run: RunView | undefined): boolean {
  return run?.cause.kind === 'recovery' && run.outcome === 'failed'
}

/**
 * When the stack was rolled back before the first poll after the loss of the database: nobody knows from what, so what
 * that poll sees does not end the roll back. NaN: never.
 */
function blindRollback(runs: readonly RunView[]): number {
  const synced = runs.filter(({ intent }) => intent === 'sync')
  const at = synced.findIndex(
    ({ cause }, index) => cause.decision === 'rollback' && isFailedRecovery(synced[index - 1]),
  )
  return Date.parse(synced[at]?.createdAt ?? '')
}

/**
 * Promise 1, of what was released since the stack is there. A stack that was rolled back does not attempt what it had
 * attempted before, nor the same package of another commit.
 */
function releasedIsAttempted({ scene, follower, channel, runs }: Evidence): void {
  const began = Date.parse(runs[0]?.startedAt ?? runs[0]?.createdAt ?? '')
  const commits = new Set(runs.map(commitOf))
  const contentAt = (commit: string): string =>
    JSON.stringify(follower.project.commits.find(({ id }) => id === commit)?.contents[follower.path])
  const wasRolledBack = runs.some(({ cause }) => cause.decision === 'rollback')
  const blind = blindRollback(runs)
  const seen = channel.moves.find(({ to, releasedAt }) => to !== null && Date.parse(releasedAt ?? '') >= blind)
  const packages = new Set(wasRolledBack ? [...commits, ...(seen?.to ? [seen.to.commit] : [])].map(contentAt) : [])
  const isAttempted = (commit: string): boolean => commits.has(commit) || packages.has(contentAt(commit))
  for (const { to, releasedAt, id } of channel.moves)
    if (to !== null && releasedAt !== null && Date.parse(releasedAt) >= began && !isAttempted(to.commit))
      scene.violated(`move ${id} was released, and ${follower.name} never attempted ${to.commit} (promise 1)`)
  for (const { id, outcome } of runs)
    if (outcome === null) scene.violated(`run ${id} of ${follower.name} never ended (promise 1)`)
}

function channelsAreObeyed({ scene, follower, channel, runs, writes }: Evidence): void {
  if (follower.project.isLinear && follower.ref === 'beta') onlyForward(scene, follower, channel)
  for (const run of runs) {
    if (run.outcome !== 'applied') continue // what was undone wrote what was there before, too
    const written = { scene, follower, channel, run, during: within(writes, run) }
    onlyReleasedIsWritten(written)
    nothingVetoedIsWritten(written, runs)
  }
}

/** Promise 2. */
function newestWins({ scene, follower }: Evidence, row: StackRow | undefined): void {
  const desired = follower.project.at[follower.ref].id
  if (row?.sync !== 'Synced')
    scene.violated(`${follower.name} is ${row?.sync}, not Synced: ${JSON.stringify(row?.conditions)}`)
  if (!(row?.revision.applied ?? '').endsWith(desired))
    scene.violated(`${follower.name} has ${row?.revision.applied}, not ${desired} (promise 2)`)
}

/** Promise 3: what came through one connection ended before another one wrote. */
function oneWriter({ scene, follower, writes }: Evidence): void {
  const last = new Map<string, number>()
  for (const { connection, to } of writes) last.set(connection, to)
  const first = new Map<string, number>()
  for (const { connection, from } of writes.toReversed()) first.set(connection, from)
  const spans = [...first]
    .map(([connection, from]) => ({ connection, from, to: last.get(connection)! }))
    .toSorted((a, b) => a.from - b.from)
  spans.forEach((span, i) => {
    const next = spans[i + 1]
    if (next !== undefined && next.from < span.to)
      scene.violated(`${follower.target} was written by ${span.connection} and ${next.connection} at once (promise 3)`)
  })
}

/** Promise 5: what was made and removed while a run went forward is in its plan, and not more often. */
function plannedIsApplied({ scene, follower, runs, writes }: Evidence): void {
  for (const run of runs) {
    if (run.outcome !== 'applied' || run.plan === null) continue
    const during = within(writes, run)
    for (const family of new Set(during.map((write) => write.family))) {
      for (const verb of ['create', 'remove'] as const) {
        const done = during.filter((write) => write.family === family && write.verb === verb).length
        const planned = run.plan.changes.filter(
          (change) => change.address.startsWith(`${family}/`) && change.action === verb,
        ).length
        if (done > planned)
          scene.violated(
            `run ${run.id} of ${follower.name} planned to ${verb} ${planned} ${family}, and did ${done} (promise 5)`,
          )
      }
      const mayUpdate = run.plan.changes.some(
        ({ address, action }) => address.startsWith(`${family}/`) && (action === 'update' || action === 'create'),
      )
      if (!mayUpdate && during.some((write) => write.family === family && write.verb === 'update'))
        scene.violated(
          `run ${run.id} of ${follower.name} updated a ${family} that its plan does not change (promise 5)`,
        )
    }
  }
}

/** Promise 6: a plan that waits, and a package that cannot be read, write nothing. */
function nothingWhileItWaits({ scene, follower, runs, writes }: Evidence): void {
  const undoing = runs.filter(
    ({ outcome }) => outcome === 'undone' || outcome === 'interrupted' || outcome === 'failed',
  )
  for (const run of runs.filter(
    ({ outcome, plan }) =>
      outcome === 'needs-approval' || outcome === 'unchanged' || (outcome === 'failed' && plan === null),
  )) {
    if (run.outcome === 'failed' && undoing.length > 1) continue // it may have undone what another one left
    const during = within(writes, run)
    if (during.length > 0)
      scene.violated(
        `run ${run.id} of ${follower.name} is ${run.outcome} and wrote ${JSON.stringify(during[0])} (promise 6)`,
      )
  }
}

/** Promise 7. */
function nothingWhileSuspended({ scene, follower, writes }: Evidence): void {
  for (const { stack, from, to } of scene.suspensions) {
    if (stack !== follower.name) continue
    const during = writes.find((write) => write.from > from && write.from < to)
    if (during !== undefined) scene.violated(`${stack} was suspended and wrote ${JSON.stringify(during)} (promise 7)`)
  }
}

/**
 * Promises 4 and 6: everything that is declared is there once, nothing else is, and what a hand made is as it was made.
 * Gives how many resources there are.
 */
async function targetIsAsDeclared({ scene, follower }: Evidence): Promise<number> {
  const { violated, agent, foreign } = scene
  const content = follower.project.at[follower.ref].contents[follower.path]!
  if (typeof content === 'string') throw new Error(`${follower.name} ends with a package that is ${content}.`)
  const live = await agent.all<TargetResource>(`/api/v1/resources?target=${follower.target}`)
  const resources = live.filter(
    ({ family, actual: held }) => family !== 'LabelMapping' && !isSystems(family, held as never),
  )
  for (const item of content) {
    const same = resources.filter((resource) => isItem(resource, item))
    if (same.length !== 1)
      violated(`${follower.target} holds ${item.family} ${item.name} ${same.length} times (promise 4)`)
    else if (!holdsFields(same[0]!.actual, item))
      violated(`${follower.target} holds ${JSON.stringify(same[0]!.actual)}, not ${JSON.stringify(item)}`)
  }
  for (const resource of resources) {
    if (content.some((item) => isItem(resource, item))) continue
    // The answer to a manual change may have been lost: then only the name identifies the resource.
    const { name } = resource.actual as unknown as Item
    if (name === handMade) continue
    if (foreign.get(follower.target) === resource.id)
      violated(`${follower.target}: what a hand made is called ${name} now (promise 6)`)
    else
      violated(`${follower.target} holds ${resource.family} ${resource.displayName}, which nobody declares (promise 4)`)
  }
  if (foreign.has(follower.target) && !resources.some(({ id }) => id === foreign.get(follower.target)))
    violated(`${follower.target}: what a hand made is gone (promise 6)`)
  const mappings = live.filter(({ family }) => family === 'LabelMapping').length
  const declared = content.reduce((sum, { labels }) => sum + labels.length, 0)
  if (mappings !== declared)
    violated(`${follower.target} holds ${mappings} label mappings, and ${declared} are declared (promise 4)`)
  return live.length
}

/** Promise 8: logs, database, copies of repositories and the process's own arguments hold no canary. */
function noSecrets({ violated, agent }: Scene, directory: string): void {
  const words = Object.values(canaries).flatMap((word) => [
    word,
    Buffer.from(`x-access-token:${word}`).toString('base64').slice(20),
  ])
  const files = [...filesBelow(join(directory, 'data')), join(directory, 'agent.log'), `/proc/${agent.pid}/cmdline`]
  for (const file of files) {
    const bytes = readFileSync(file)
    for (const word of words) if (bytes.includes(word)) violated(`${file} holds a secret (promise 8)`)
  }
}

/** Without manual writes, by their approximate times. */
function agentsOwn({ byHand }: Scene, writes: readonly Write[]): readonly Write[] {
  return writes.filter(
    ({ target, from, to }) => !byHand.some((hand) => hand.target === target && from >= hand.from && to <= hand.to),
  )
}

function isItem({ family, actual }: TargetResource, item: Item): boolean {
  return family === item.family && (actual as unknown as Item).name === item.name
}

function within(writes: readonly Write[], { startedAt, finishedAt }: RunView): readonly Write[] {
  if (startedAt === null || finishedAt === null) return []
  return writes.filter(({ from, to }) => from >= Date.parse(startedAt) && to <= Date.parse(finishedAt))
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

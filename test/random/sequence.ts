// One sequence from its seed: a world, its operations, and a last revision that must be applied in any case.
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refused } from '../../src/model/errors.js'
import { GitSource } from '../../src/source/git/git-source.js'
import type { Source, SourceLimits } from '../../src/source/source.js'
import type { RefTips } from '../../src/source/ref-tips.js'
import { makeRepository } from '../git-server.js'
import { MemoryGit } from '../memory-git.js'
import { plain, type PlatformUnderTest } from '../plain/under-test.js'
import { openAccess } from '../source/access.js'
import { check } from './check.js'
import { unpinChannels } from './channel-operations.js'
import { randomPolicies } from './channel-watch.js'
import type { ChannelPolicy } from '../../src/channel/channel-policy.js'
import { Dice } from './dice.js'
import { RepositoryHistory, type History } from './history.js'
import { listed } from './listed.js'
import { lastContent, perform, randomOperations, type Operation } from './operations.js'
import { addressOf, ignoreRules, isKept, isSystems, protectRules, type Item } from './package-model.js'
import type { Address } from '../../src/model/address.js'
import type { SyncWindow } from '../../src/model/stacks/stack.js'
import { rest, settle } from './settle.js'
import { specOf, World, type Settings } from './world.js'

export interface Sequence {
  readonly seed: number
  /** `memory`: the repository is in memory; `git`: a real one, read by the real source. */
  readonly source: 'memory' | 'git'
  readonly on: PlatformUnderTest
  readonly stacks: Readonly<Record<string, Settings>>
  readonly policies: readonly ChannelPolicy[]
  readonly operations: readonly Operation[]
}

export interface Result {
  readonly violations: readonly string[]
  readonly story: readonly string[]
}

/** `hours`: about so long is what passes between its operations; default: less than one. */
export function randomSequence(
  seed: number,
  source: Sequence['source'],
  { hours, on = plain }: { readonly hours?: number | undefined; readonly on?: PlatformUnderTest } = {},
): Sequence {
  const dice = new Dice(seed)
  const names = dice.chance(60) ? ['a', 'b'] : ['a']
  const stacks = Object.fromEntries(names.map((name) => [name, randomSettings(dice, name, names.length > 1)]))
  const policies = randomPolicies(dice)
  const count = hours === undefined ? 6 + dice.below(24) : hours * operationsAnHour
  return { seed, source, on, stacks, policies, operations: randomOperations(dice, count) }
}

/** One in eight has time pass, three and a half minutes on average. */
const operationsAnHour = 140

/** `shares`: with another stack, which would have to ignore the same for both to declare a resource alike. */
function randomSettings(dice: Dice, name: string, shares: boolean): Settings {
  return {
    ref: dice.pick(['stable', 'stable', 'stable', 'main', 'semver:^1']),
    dataLoss: dice.chance(60) ? 'allow' : 'refuse',
    ...(dice.chance(10) ? { apply: 'approval' as const } : {}),
    ...(dice.chance(15) ? { adopt: 'refuse' as const } : {}),
    ...(dice.chance(15) ? { drift: dice.pick(['report', 'ignore'] as const) } : {}),
    ...(dice.chance(20) ? { maxDeletes: dice.below(3) } : {}),
    ...(dice.chance(20) ? { windows: [dice.pick(windows)] } : {}),
    ...(name === 'b' && dice.chance(30) ? { dependsOn: ['a'] } : {}),
    ...(dice.chance(20) ? { onFailure: 'continue' as const } : {}),
    ...(dice.chance(25) ? { protect: protectRules.filter(() => dice.chance(40)) } : {}),
    ...(!shares && dice.chance(30) ? { ignore: ignoreRules.filter(() => dice.chance(60)) } : {}),
  }
}

const windows: readonly SyncWindow[] = [
  { kind: 'allow', schedule: '*/10 * * * *', durationMs: 300_000 },
  { kind: 'deny', schedule: '*/20 * * * *', durationMs: 600_000, reason: 'busy' },
]

/** Stops at the first operation after which a promise is broken. */
export async function runSequence(sequence: Sequence): Promise<Result> {
  const directory = realpathSync(mkdtempSync(join(memoryDirectory(), 'gitmoor-random-')))
  const source = await openHistory(sequence, directory)
  const world = await World.open({
    directory,
    seed: sequence.seed,
    on: sequence.on,
    stacks: sequence.stacks,
    policies: sequence.policies,
    ...source,
  })
  try {
    await play(world, sequence)
  } catch (error) {
    world.violated(`the test broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  } finally {
    if (world.violations.length > 0) await world.tellStacks()
    await world.close()
    await source.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { violations: world.violations, story: world.story }
}

/** Where files need no disk, if there is such a place. */
function memoryDirectory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
}

async function play(world: World, { operations, seed }: Sequence): Promise<void> {
  const dice = new Dice(seed + 1)
  await perform(world, { kind: 'commit', seed: dice.seed() })
  for (const tag of ['stable', 'v1.0.0']) await world.history.tag(tag, world.history.commits[0]!)
  for (const name of Object.keys(world.stacks)) await world.useCases.createStack(specOf(name, world), 'person')
  for (const operation of operations) {
    await perform(world, operation)
    if (world.violations.length > 0) return
  }
  await settle(world, dice)
  if (world.violations.length > 0) return
  await finish(world, dice)
}

/** After any sequence, a revision with unique names is applied, and an uninstall leaves nothing behind. */
async function finish(world: World, dice: Dice): Promise<void> {
  const names = Object.keys(world.stacks)
  for (const name of names)
    if ((await world.store.stacks.get(name))!.pinned !== null)
      world.ask('unpin', () => world.useCases.unpinStack(name, 'person', { overrideWindow: 'test' }))
  world.declare([])
  // A pin waits for its commit, perhaps until here.
  do {
    await unpinChannels(world)
    await rest(world, dice)
  } while ((await world.channels()).some(({ pin }) => pin !== null))
  const fresh = dice.chance(50)
  const contents = await Promise.all(names.map(async (name) => [name, await lastPackage(world, name, fresh)]))
  await world.history.commit(Object.fromEntries(contents) as Record<string, readonly Item[]>, 0, {
    tags: ['stable', 'v1.99999.0'],
  })
  world.report('the last revision')
  await rest(world, dice)
  if (world.violations.length > 0) return
  await check(world, 'all is applied')
  if (world.violations.length === 0 && dice.chance(50)) await uninstall(world, names)
}

/** Shared resources are removed: under another name they would still belong to the other stack. */
async function lastPackage({ history, store }: World, stack: string, fresh: boolean): Promise<readonly Item[]> {
  const both: Item = { family: 'Label', meta: 'both', name: 'the last of both', value: 0, labels: [] }
  const own: Item = { family: 'Bucket', meta: 'last', name: `the last of ${stack}`, value: 1, labels: ['both'] }
  if (fresh) return [both, own]
  const owned = await store.ownership.of((await store.stacks.get(stack))!.id)
  const isShared = (address: string): boolean => owned.get(address as Address)?.shared === true
  const kept = lastContent(history, stack)!.filter((item) => !isShared(addressOf(item)))
  const named = kept.map((item) => ({
    ...item,
    name: `the last ${item.meta} of ${stack}`,
    labels: item.labels.filter((label) => !isShared(`Label/${label}`)),
  }))
  return [both, own, ...named]
}

async function uninstall(world: World, names: readonly string[]): Promise<void> {
  world.report('uninstall')
  for (const name of names.toReversed()) await uninstallOne(world, name)
  await using connection = await world.connection()
  for (const { family, observed } of await listed(connection, world.signal)) {
    if (isSystems(family, observed.actual) || world.model.foreign.has(`${family}/${observed.identity}`)) continue
    world.violated(`${family} ${JSON.stringify(observed.actual)} was left behind`)
  }
}

/** An uninstall of protected resources needs a second approval. */
async function uninstallOne(world: World, name: string): Promise<void> {
  const { useCases, model, signal, store } = world
  const { protect } = (await store.stacks.get(name))!.spec
  const { digest, changes, revision } = await useCases.previewPlan(name, { uninstall: true }, signal)
  const approve = (): void =>
    model.approve(name, { revision, changes: changes.map(({ address }) => ({ address, action: 'remove' })) })
  const removes = useCases.deleteStack.bind(
    useCases,
    name,
    { uninstall: digest, by: 'person', overrideWindow: 'test' },
    signal,
  )
  if (!changes.some(({ action, address }) => action === 'remove' && isKept(protect, address))) {
    approve()
    await removes()
    return
  }
  const refused = await removes().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(refused instanceof Refused))
    return world.violated(`${name} was uninstalled, though something in it is protected: ${String(refused)}`)
  approve()
  await useCases.approvePlan(name, digest.slice(0, 12), 'person', signal, { overrideWindow: 'test' })
  await world.idle()
  if ((await store.stacks.get(name)) !== undefined)
    world.violated(`${name} is still there, though its uninstall was approved`)
}

interface Opened {
  readonly history: History
  readonly openSource: () => Source & { readonly tips: RefTips }
  readonly close: () => Promise<void>
}

const limits: SourceLimits = {
  gitRequestMs: 30_000,
  fetchMs: 60_000,
  packBytes: 1_000_000,
  fileBytes: 100_000,
  files: 100,
  totalBytes: 1_000_000,
  depth: 8,
  refsBytes: 1_000_000,
}

async function openHistory({ source, on }: Sequence, directory: string): Promise<Opened> {
  if (source === 'memory') {
    const git = new MemoryGit()
    const repository = git.makeRepository()
    const history = new RepositoryHistory(repository, `${git.url}/${repository.name}`, on.apiVersion)
    return { history, openSource: () => git.openSource({ limits, mayPush: () => true }), close: async () => {} }
  }
  const repository = await makeRepository(join(directory, 'repositories'))
  const access = openAccess()
  const openSource = (): GitSource =>
    new GitSource({
      directory: join(directory, 'data', 'git'),
      limits,
      allow: { directories: [{ path: join(directory, 'repositories') }] },
      dataDirectory: join(directory, 'data'),
      access,
      searchPath: process.env['PATH'] ?? '',
    })
  return {
    history: new RepositoryHistory(repository, `file://${repository.directory}`, on.apiVersion),
    openSource,
    close: async () => access[Symbol.asyncDispose](),
  }
}

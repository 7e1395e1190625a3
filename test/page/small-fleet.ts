// Stacks in several states that follow two channels, for tests of every view.
import { until } from '../e2e/until.js'
import type { Repository } from '../git-server.js'
import { bucket, repositoryOf, type PageUnderTest } from './open-page.js'

export interface SmallFleet {
  readonly repository: Repository
  /** The names of the channels. */
  readonly beta: string
  readonly stable: string
  /** Of the stack synced: the oldest and the newest run that applied something. */
  readonly runs: readonly [string, string]
}

const raw = bucket('raw', 7_200)
const kept = bucket('kept', 14_400)
const inEach = (...buckets: readonly string[]) => ({ 'package.yml': buckets.join('\n---\n') })

/** `synced`, `failed`, `approval`, `drifted` and `suspended`: each stack is in the state that its name says. */
export async function makeSmallFleet(agent: PageUnderTest): Promise<SmallFleet> {
  const repository = await repositoryOf(agent)
  const push = async (files: Readonly<Record<string, string>>, ...tags: readonly string[]): Promise<void> =>
    void (await repository.commit({ files, tags, message: 'Keep data longer\n\nAs finance asked.' }))
  const folders = (...buckets: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      names.flatMap((name) =>
        Object.entries(inEach(...buckets)).map(([file, text]) => [
          `${name}/${file}`,
          text.replaceAll('"name":"', `"name":"${name}-`),
        ]),
      ),
    )
  await push(folders(raw), 'beta', 'stable')
  for (const name of names) {
    const source = ['--repo', repository.directory, '--path', name, '--ref', name === 'synced' ? 'beta' : 'stable']
    const quiet = ['--interval', '1d', '--drift', 'report', '--drift-interval', '1d']
    await agent.type('stack', 'create', name, ...source, ...quiet)
  }
  await push(folders(raw, kept), 'beta', 'stable')
  await agent.type('sync', '--all')
  await push(
    {
      ...folders(raw, kept),
      'failed/package.yml': 'kind: [',
      'approval/package.yml': folders(raw)['approval/package.yml']!,
    },
    'stable',
  )
  await agent.type('suspend', 'suspended', '--why', 'the target is moved')
  await agent.type('sync', 'approval', '--no-wait')
  await agent.type('resource', 'edit', 'Bucket/drifted-raw', '--set', 'description=by hand', '--yes')
  await agent.type('wait', 'drifted').catch(() => 'exit code 7')
  const state = async (name: string): Promise<string> => (await agent.ask('GET', `stacks/${name}`)).status.state
  await until('the plan needs approval', async () => (await state('approval')) === 'Needs approval')
  await until('the package is refused', async () => (await state('failed')) === 'Failed')
  const { items: channels } = await agent.ask('GET', 'channels')
  const channel = (ref: string): string => channels.find((one: { ref: string }) => one.ref === ref).name
  const { items } = await agent.ask('GET', 'stacks/synced/runs')
  const applied: readonly string[] = items.flatMap(({ id, outcome }: any) => (outcome === 'applied' ? [id] : []))
  return { repository, beta: channel('beta'), stable: channel('stable'), runs: [applied.at(-1)!, applied[0]!] }
}

const names = ['synced', 'failed', 'approval', 'drifted', 'suspended'] as const

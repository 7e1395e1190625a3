// InfluxDB's own command line against a real agent. It is not part of this project: without it these tests are skipped.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bucket, dashboard, label, task, yaml } from '../influxdb/packages.js'
import { Processes } from './processes.js'

const influx = process.env['GITMOOR_INFLUX'] ?? 'influx'
const isHere = spawnSync(influx, ['version']).status === 0
if (!isHere) console.log('There is no influx command line (GITMOOR_INFLUX, or on the PATH): its tests are skipped.')

const corpus = join(import.meta.dirname, '../../../shared/corpus/community-templates')
/** Of several sizes and kinds: charts, tasks, checks, telegraf configurations, variables. */
const packages = [
  'linux_system/linux_system.yml',
  'redis/redis.yml',
  'csgo/csgo.yml',
  'minio/minio.yml',
  'kafka/kafka-template.yml',
  'jenkins/jenkins.yml',
  'postgresql/postgres.yml',
  'zookeeper/zookeeper.yml',
  'downsampling/all_inputs/downsampling_tasks.yml',
  'airquality/airquality.yml',
  'k8s/k8s.yml',
  'fortnite/fn-template.yml',
].filter((file) => existsSync(join(corpus, file)))
if (packages.length === 0) console.log('The corpus was not found beside the project: its packages are not tried.')

interface Typed {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

let processes: Processes
let root: string
let url: string

beforeAll(async () => {
  if (!isHere) return
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-influx-')))
  processes = new Processes()
  const address = await agent('agent')
  url = address.url
  await ok(['config', 'create', '-n', 'agent', '-u', url, '-o', 'main', '-t', address.token, '--active'])
})

afterAll(async () => {
  if (!isHere) return
  await processes[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

async function agent(name: string): Promise<{ readonly url: string; readonly token: string }> {
  const data = join(root, name)
  await processes.agent([], { cwd: root, data })
  return JSON.parse(readFileSync(join(data, 'agent.json'), 'utf8')) as { url: string; token: string }
}

/** `stdin`: a package from outside a terminal; the command line reads what it is given. */
function type(args: readonly string[], stdin = ''): Promise<Typed> {
  const child = spawn(influx, args, {
    cwd: root,
    env: { HOME: root, INFLUX_CONFIGS_PATH: join(root, 'influx-configs'), PATH: process.env['PATH'] },
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => (texts[name] += chunk.toString()))
  child.stdin.on('error', () => {}) // it may end without reading
  child.stdin.end(stdin)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...texts })))
}

async function ok(args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await type(args, stdin)
  expect({ code, stderr }, `influx ${args.join(' ')}\n${stdout.slice(-500)}`).toMatchObject({ code: 0, stderr: '' })
  return stdout
}

/** All stacks, as the command line prints them: with their events only. */
async function stacks(): Promise<readonly any[]> {
  return JSON.parse(await ok(['stacks', '--json'])) as any[]
}

async function applied(args: readonly string[], stdin?: string): Promise<string> {
  const said = await ok(['apply', ...args, '--force', 'yes', '--disable-color'], stdin)
  return /Stack ID: ([0-9a-f]{16})/.exec(said)![1]!
}

const eventsOf = async (id: string): Promise<readonly any[]> =>
  (await stacks()).find((one) => one.id === id).events as any[]

function file(name: string, text: string): string {
  writeFileSync(join(root, name), text)
  return join(root, name)
}

/** `yPos`: of a chart. All else is at its own limit. */
function atTheLimits(yPos: number): string {
  const query = 'from(bucket: "raw") |> range(start: -1m)'
  const thresholds = [
    { type: 'greater', level: 'crit', value: Number.MAX_VALUE },
    { type: 'inside_range', level: 'warn', min: -Number.MAX_VALUE, max: Number.MIN_VALUE },
  ]
  const chart = {
    kind: 'Single_Stat',
    name: 'one',
    queries: [{ query }],
    xPos: 0,
    yPos,
    width: 1,
    height: 2_147_483_647,
  }
  return [
    { kind: 'Dashboard', spec: { charts: [chart] } },
    { kind: 'CheckThreshold', spec: { every: '1m', query, statusMessageTemplate: 'm', thresholds } },
    { kind: 'NotificationEndpointHTTP', spec: { url: 'http://localhost:65535', method: 'GET', type: 'none' } },
  ]
    .map((one) => JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', metadata: { name: 'limit' }, ...one }))
    .join('\n---\n')
}

/** 10,000 documents of four kinds. */
function manyResources(): string {
  const named = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
  const labels = named('label', 4_000)
  return yaml(
    ...labels.map((name) => label(name)),
    ...named('bucket', 3_000).map((name, at) => bucket(name, { labels: at % 10 === 0 ? [labels[at]!] : [] })),
    ...named('task', 2_000).map((name) => task(name)),
    ...named('dashboard', 1_000).map((name) => dashboard(name)),
  )
}

async function nothingLeft(): Promise<void> {
  const ids = (await stacks()).flatMap(({ id }) => ['--stack-id', String(id)])
  if (ids.length > 0) await ok(['stacks', 'rm', ...ids, '--force'])
  expect(await ok(['export', 'all'])).toBe('')
  expect(await stacks()).toEqual([])
}

describe.skipIf(!isHere)('the command line influx', () => {
  test('finds the agent and its organisation', async () => {
    expect(await ok(['ping', '--host', url])).toBe('OK\n')
    expect(await ok(['org', 'list'])).toMatch(/[0-9a-f]{16}\tmain/)
    expect(await type(['stacks', '-t', 'wrong'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('token is wrong'),
    })
    expect(await type(['stacks', '-o', 'nobody'])).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody') })
  })

  test.each(packages)(
    '%s: valid, shown, applied, the same again, exported, applied from the export, removed',
    async (path) => {
      const given = ['-f', join(corpus, path)]
      expect(await ok(['template', 'validate', ...given])).toBe('')
      expect(await ok(['template', ...given, '--disable-color'])).toContain('PACKAGE NAME')
      const id = await applied(given)
      const before = await eventsOf(id)
      expect(before.map(({ eventType }) => eventType)).toEqual(['create', 'update'])
      await applied([...given, '--stack-id', id])
      expect(await eventsOf(id)).toEqual(before)
      const out = join(root, 'export.yml')
      await ok(['export', 'stack', id, '-f', out])
      const diff = JSON.parse(
        (await ok(['apply', '-f', out, '--stack-id', id, '--force', 'yes', '--json'])).split('\n}\n')[0] + '\n}',
      )
      const states = new Set(
        Object.values<any>(diff).flatMap((list) => (list ?? []).map((one: any) => one.stateStatus as string)),
      )
      expect(states).toEqual(new Set(['exists']))
      expect((await eventsOf(id)).at(-1).resources).toEqual(before.at(-1).resources)
      await ok(['stacks', 'rm', '--stack-id', id, '--force'])
      await nothingLeft()
    },
  )

  test('takes directories, standard input, values, secrets and filters', async () => {
    mkdirSync(join(root, 'tree/below'), { recursive: true })
    file('tree/a.yml', label('one'))
    file('tree/below/b.yml', label('two'))
    await applied(['-f', join(root, 'tree')])
    expect(await ok(['export', 'all'])).not.toContain('two')
    await applied(['-f', join(root, 'tree'), '-R', '--filter', 'resource=Label:one'])
    expect(await ok(['export', 'all', '--filter', 'kind=Label'])).toContain('two')
    await nothingLeft()
    const named = label('named').replace('name: "named"', 'name: { envRef: { key: shown } }')
    await applied(['--env-ref', 'shown=Given'], named)
    expect(await ok(['export', 'all'])).toContain('Given')
    await nothingLeft()
    const endpoint =
      'apiVersion: influxdata.com/v2alpha1\nkind: NotificationEndpointPagerDuty\nmetadata:\n  name: pager\nspec:\n  url: http://localhost:8080\n  routingKey: { secretRef: { key: pager-key } }\n'
    const said = await ok(['apply', '-f', file('pager.yml', endpoint), '--secret', 'pager-key=hush', '--force', 'yes'])
    expect(said).not.toContain('MISSING SECRETS')
    const exported = await ok(['export', 'all'])
    expect(exported).toContain('pager-key')
    expect(said + exported).not.toContain('hush')
    await nothingLeft()
  })

  test('decodes what is applied at the limits, and reads why a number beyond them is refused', async () => {
    const longest = yaml(bucket('raw', { every: 9_223_372_036 }), bucket('mon', { name: '_monitoring' }))
    const id = await applied(['-f', file('longest.yml', longest)])
    for (const every of ['9223372037', '1e308']) {
      const said = await type([
        'apply',
        '-f',
        file('beyond.yml', longest.replace('9223372036', every)),
        '--stack-id',
        id,
        '--force',
        'yes',
      ])
      expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('everySeconds') })
      expect(said.stderr).not.toContain('unmarshal')
    }
    expect(await applied(['-f', file('longest.yml', longest), '--stack-id', id])).toBe(id)
    const dead =
      'apiVersion: influxdata.com/v2alpha1\nkind: CheckDeadman\nmetadata: {name: dead}\nspec: {every: 1m, query: a = 1, statusMessageTemplate: m}\n'
    await applied(['-f', file('dead.yml', dead)])
    expect(await type(['bucket', 'list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('influx apply') })
    await nothingLeft()
  })

  test('prints positions, thresholds and ports at their limits, and gets an error for a position beyond them', async () => {
    const given = file('limits.yml', atTheLimits(2_147_483_647))
    const id = await applied(['-f', given])
    const exported = join(root, 'limits-export.yml')
    await ok(['export', 'stack', id, '-f', exported])
    const before = await eventsOf(id)
    await applied(['-f', exported, '--stack-id', id])
    const said = await type([
      'apply',
      '-f',
      file('beyond.yml', atTheLimits(2_147_483_648)),
      '--stack-id',
      id,
      '--force',
      'yes',
    ])
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('charts[0].yPos') })
    expect(await eventsOf(id)).toEqual(before)
    await nothingLeft()
  })

  test(
    'carries 10,000 resources to another agent, and a second apply changes nothing',
    { timeout: 180_000 },
    async () => {
      const agents = await Promise.all([agent('from'), agent('to')])
      const [from, to] = agents.map(({ url: host, token }) => ['--host', host, '--token', token]) as [
        string[],
        string[],
      ]
      const exported = join(root, 'many-export.yml')
      await ok(['apply', ...from, '-f', file('many.yml', manyResources()), '--force', 'yes', '--quiet'])
      await ok(['export', 'all', ...from, '-f', exported])
      const given = [...to, '-f', exported, '--force', 'yes', '--quiet']
      await ok(['apply', ...given])
      const before = await ok(['stacks', ...to, '--json'])
      const [{ id, events }] = JSON.parse(before)
      expect(events.at(-1).resources).toHaveLength(10_000)
      await ok(['apply', ...given, '--stack-id', id])
      expect(await ok(['stacks', ...to, '--json'])).toBe(before)
      expect(await ok(['export', 'all', ...to])).toBe(readFileSync(exported, 'utf8'))
    },
  )

  test('--quiet prints nothing, --json prints diff and summary, an invalid filter is an error', async () => {
    const given = ['-f', file('quiet.yml', yaml(bucket('raw', { labels: ['red'] }), label('red')))]
    expect(await ok(['apply', ...given, '--force', 'yes', '--quiet'])).toBe('')
    const documents = (await ok(['apply', ...given, '--force', 'yes', '--json'])).split('\n}\n{\n')
    expect(JSON.parse(`${documents[0]}}`).buckets[0].id).toBeGreaterThan(0)
    expect((await type(['apply', ...given, '--filter', 'colour=red'])).code).toBe(1)
    await nothingLeft()
  })

  test('makes, changes, lists and removes stacks, and takes resources into them', async () => {
    await applied(['-f', file('owner.yml', bucket('raw'))])
    const made = JSON.parse(
      await ok(['stacks', 'init', '-n', 'Boards', '-d', 'of ops', '-u', 'https://a.example/a.yml', '--json']),
    )
    expect(await ok(['stacks', '--stack-name', 'Boards'])).toContain('https://a.example/a.yml')
    expect(await ok(['stacks', 'update', '-i', made.id, '-n', 'Renamed'])).toContain('Renamed')
    const [{ id: owner, events }] = (await stacks()).filter(({ id }) => id !== made.id)
    const { resourceID } = events.at(-1).resources[0]
    const refused = await type(['stacks', 'update', '-i', made.id, '--addResource', `Bucket=${resourceID}`])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to stack') })
    const again = await type(['stacks', 'update', '-i', owner, '--addResource', `Bucket=${resourceID}`], 'n\n')
    expect(again, again.stderr).toMatchObject({ code: 0 })
    await nothingLeft()
  })

  test('exports by id, by name, by kind and by label, and says what is not there', async () => {
    await applied(['-f', file('all.yml', yaml(bucket('raw', { labels: ['red'] }), bucket('old'), label('red')))])
    const byName = await ok(['export', '--bucket-names', 'raw,old'])
    expect(byName).toMatch(/name: old[^]*name: raw/)
    expect(await ok(['export', 'all', '--filter', 'labelName=red'])).not.toContain('old')
    const [{ events }] = await stacks()
    const raw = events.at(-1).resources.find(({ templateMetaName }: any) => templateMetaName === 'raw')
    expect(await ok(['export', '--buckets', raw.resourceID])).toContain('name: raw')
    expect(await type(['export', '--buckets', '0123456789abcdef'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Error: .+/),
    })
    await nothingLeft()
  })

  test('says what is wrong with a package, and writes nothing', async () => {
    const wrong = file('wrong.yml', bucket('raw').replace('name: raw', 'name: RAW_'))
    const validated = await type(['template', 'validate', '-f', wrong])
    expect(validated).toMatchObject({ code: 1, stderr: expect.stringContaining('field=root[0].metadata.name') })
    expect(await type(['apply', '-f', wrong, '--force', 'yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('root[0].metadata.name'),
    })
    expect(await stacks()).toEqual([])
  })
})

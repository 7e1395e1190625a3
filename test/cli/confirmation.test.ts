// Every command that destroys something asks first, in one place, and needs --yes without a terminal.
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import type { UseCaseName } from '../ask.js'
import { samplePlan } from '../api/sample-views.js'
import { everyCommand } from './parse-command.js'
import { openTestShell, typeLine, type TestShell } from './type-command.js'

/**
 * What a request does by itself. `plans`: it decides, adds, or goes through a plan and its approval rules. `destroys`:
 * it deletes, gives up ownership, moves stacks by a decision of a person, or moves a tag of a repository.
 */
type Effect = 'reads' | 'plans' | 'destroys'

/** Each use case has an effect, so a new one is classified before its command can be typed. */
const effects: Readonly<Record<UseCaseName, Effect>> = {
  adoptResource: 'plans',
  applyFleet: 'plans',
  applyPlan: 'plans',
  approveMove: 'destroys',
  approvePlan: 'plans',
  cancelRun: 'plans',
  createResource: 'plans',
  createStack: 'plans',
  deleteFleet: 'destroys',
  deleteResource: 'destroys',
  deleteStack: 'destroys',
  diagnose: 'reads',
  discoverPackages: 'reads',
  editResource: 'plans',
  explainResource: 'reads',
  explainResources: 'reads',
  explainStack: 'reads',
  exportPackage: 'reads',
  getFleet: 'reads',
  getLastEventId: 'reads',
  getMatrix: 'reads',
  getOverview: 'reads',
  getResource: 'reads',
  getRun: 'reads',
  getConfiguration: 'reads',
  listCommits: 'reads',
  previewPromotionPlans: 'reads',
  getRunEvents: 'reads',
  compareRuns: 'reads',
  getStack: 'reads',
  getTarget: 'reads',
  importStack: 'plans',
  listAllRuns: 'reads',
  listChannels: 'reads',
  listDecisions: 'reads',
  listDeliveries: 'reads',
  listFleets: 'reads',
  listMessages: 'reads',
  listMoves: 'reads',
  listReceivers: 'reads',
  listResources: 'reads',
  listRuns: 'reads',
  listStackResources: 'reads',
  getDrift: 'reads',
  listStacks: 'reads',
  listTargets: 'reads',
  listUnmanaged: 'reads',
  listWebhooks: 'reads',
  pinChannel: 'destroys',
  planFleet: 'reads',
  previewApproval: 'reads',
  previewCreate: 'reads',
  previewImport: 'reads',
  previewPackage: 'reads',
  previewPin: 'reads',
  previewPlan: 'reads',
  previewPromotion: 'reads',
  listDeletions: 'reads',
  previewUnpin: 'reads',
  previewVeto: 'reads',
  promoteTag: 'destroys',
  pushPackage: 'plans',
  previewUpdate: 'reads',
  readiness: 'reads',
  receiveDelivery: 'plans',
  redeliver: 'plans',
  redeliverMessage: 'plans',
  releaseResource: 'destroys',
  requestSync: 'plans',
  requestSyncs: 'plans',
  resumeStack: 'plans',
  rollBack: 'destroys',
  runBulk: 'plans',
  suspendStack: 'plans',
  testReceiver: 'plans',
  testTarget: 'reads',
  testWebhook: 'plans',
  uninstallStack: 'destroys',
  unpinChannel: 'destroys',
  unpinStack: 'plans',
  updateStack: 'plans',
  vetoMove: 'destroys',
  waitForStack: 'reads',
  watchDigests: 'reads',
  watchEvents: 'reads',
}
const destroying = Object.entries(effects).flatMap(([name, effect]) => (effect === 'destroys' ? [name] : []))

const commands = await everyCommand()

/** The words of the example in the help of a command. */
async function exampleOf(command: string): Promise<readonly string[]> {
  const { stdout } = await typeLine(`${command} --help`, { columns: 1000 })
  const [, line = ''] = /Example:\n {2}gitmoor (.*)$/m.exec(stdout) ?? []
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, ''))
}

interface Done {
  readonly code: number
  readonly stderr: string
  /** The use cases that destroy something. */
  readonly destroyed: readonly string[]
}

async function typed(words: readonly string[]): Promise<Done> {
  const shell = await openTestShell()
  const { code, stderr } = await shell.type(words)
  return { code, stderr, destroyed: shell.calls.map(({ verb }) => verb).filter((verb) => destroying.includes(verb)) }
}

/** The options of a command that agree to everything. */
function agreement(command: string): readonly string[] {
  const options = commands.get(command)!.options.map(({ long }) => long)
  return [
    ...(options.includes('--yes') ? ['--yes'] : []),
    ...(options.includes('--consent') ? ['--consent', 'Bucket/*'] : []),
  ]
}

const asking = [...commands.keys()].filter((command) => agreement(command).includes('--yes'))

describe('without a terminal', () => {
  test.each([...commands.keys()])('%s destroys nothing', async (command) => {
    const words = await exampleOf(command)
    expect(words.length).toBeGreaterThan(0)
    expect((await typed(words)).destroyed).toEqual([])
  })

  // They ask only if data is lost, stacks are suspended, or drift is corrected.
  test.each(asking.filter((command) => !['resource edit', 'fleet apply', 'stack set'].includes(command)))(
    '%s needs --yes',
    async (command) => {
      const words = await exampleOf(command)
      const { code, stderr } = await typed(words)
      expect(code).toBe(7)
      expect(stderr).toMatch(/^error: Confirmation needed, but there is no terminal to ask: .*\?.*\n/m)
      expect(stderr).toMatch(/next: Pass --yes( --consent \S+)? to confirm\.\n$/)
      expect((await typed([...words, ...agreement(command)])).code).toBe(0)
    },
  )

  test('channel pin names the stacks that move, and asks nobody if they stay', async () => {
    const { stderr } = await typed(['channel', 'pin', 'stable', '2f1c9ab', '--why', 'audit'])
    expect(stderr).toContain('Pin https://git.example/boards#stable at 81d0c3e? boards, edge move there.')
    expect((await typed(['channel', 'pin', 'stable', '--why', 'audit'])).destroyed).toEqual(['pinChannel'])
  })

  test('stack delete needs --yes, too, if it keeps the resources', async () => {
    const { code, stderr, destroyed } = await typed(['stack', 'delete', 'boards'])
    expect([code, destroyed]).toEqual([7, []])
    expect(stderr).toContain('on target local without an owner, unless another stack shares it.')
  })

  test('each request that destroys something has a command that asks', async () => {
    const done = await Promise.all(
      asking.map(async (command) => typed([...(await exampleOf(command)), ...agreement(command)])),
    )
    expect(new Set(done.flatMap(({ destroyed }) => destroyed))).toEqual(new Set(destroying))
  })
})

describe('data', () => {
  test.each(['stack delete boards --uninstall', 'stack uninstall boards'])('%s needs consent', async (line) => {
    const { code, stderr, destroyed } = await typed(`${line} --yes`.split(' '))
    expect([code, destroyed]).toEqual([7, []])
    expect(stderr).toContain('error: Removing Bucket/old loses its data.')
    expect(stderr).toContain('next: Pass --consent Bucket/old to consent.')
    expect((await typed(`${line} --yes --consent Bucket/old`.split(' '))).destroyed).toHaveLength(1)
  })

  describe('of a protected resource', () => {
    const address = 'Bucket/old' as Address
    const needsApproval = [
      ...samplePlan.needsApproval,
      { rule: 'deletions', message: '1 of the 5 resources would be removed.' },
      { rule: 'protect', address, message: 'The setting `protect` covers Bucket/old.' },
    ] as const
    const open = (): Promise<TestShell> =>
      openTestShell({ previewPlan: async () => ({ ...samplePlan, needsApproval }) })
    const approve = `gitmoor approve boards ${samplePlan.digest.slice(0, 12)}`
    const removals = ['stack delete boards --uninstall', 'stack uninstall boards']

    test.each(removals)('%s shows the rule, and names the approval that must follow', async (line) => {
      const { stderr } = await (await open()).type(line)
      expect(stderr).toContain(
        'This plan will need approval: protect.\n  ! protect: The setting `protect` covers Bucket/old.\n',
      )
      expect(stderr).toContain(
        `next: Pass --yes --consent Bucket/old to confirm.\n  next: Then approve the plan: ${approve}\n`,
      )
      const agreed = await (await open()).type(`${line} --yes`)
      expect(agreed.stderr).toContain(`next: Then approve the plan: ${approve}\n`)
    })

    test.each(removals)('%s says so in the question at a terminal', async (line) => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      stdin.end('no\n')
      const { stderr } = await (await open()).type(line, { terminal: true, stdin })
      expect(stderr).toContain(`Nothing is changed until you also type: ${approve}.`)
    })
  })

  test('of many buckets needs one option, and all are named', async () => {
    const needsApproval = Array.from({ length: 12 }, (_, at) => ({
      rule: 'data-loss' as const,
      address: `Bucket/b${at}` as Address,
      message: `Bucket ${at} loses its data.`,
    }))
    const shell = await openTestShell({ previewPlan: async () => ({ ...samplePlan, needsApproval }) })
    const { stderr } = await shell.type('stack uninstall boards --yes')
    expect(stderr).toContain('error: Bucket 9 loses its data.\n  error: And 2 more.\n')
    expect(stderr).toContain("next: Pass --consent 'Bucket/*' to consent.")
  })

  test('of a stack that allows data loss needs none', async () => {
    const shell = await openTestShell({ previewPlan: async () => ({ ...samplePlan, needsApproval: [] }) })
    expect((await shell.type('stack uninstall boards --yes')).code).toBe(0)
  })
})

test('docs/reference/cli.md lists the commands that ask', () => {
  const page = readFileSync('docs/reference/cli.md', 'utf8')
  const [, section = ''] = /^## Confirmation\n([^]*?)^## /m.exec(page) ?? []
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const cells = rows.map((row) => row.split('|')[1]!)
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z ]+?)(?: --[a-z]+)?`/g)].map(([, one]) => one))
  expect(new Set(listed)).toEqual(new Set(asking.filter((command) => command !== 'resource edit')))
})

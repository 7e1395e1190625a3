// Text from outside that would command a terminal or turn its line round: in every place where an agent's answer may
// hold it, and in the log.
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { openLog } from '../../src/agent/watch/write-log.js'
import { Refused } from '../../src/model/errors.js'
import type { RunView } from '../../src/views/run.js'
import type { Ask } from '../ask.js'
import {
  sampleChannel,
  sampleComparison,
  sampleConfiguration,
  sampleDecidedMove,
  sampleDelivery,
  sampleMessage,
  sampleReceiver,
  sampleDiscovery,
  sampleImport,
  sampleUnmanaged,
  sampleExplanation,
  sampleMove,
  samplePlan,
  samplePromoted,
  samplePromotion,
  sampleResource,
  sampleRow,
  refusedTarget,
  sampleRun,
  sampleStack,
  sampleTarget,
  sampleTargetTest,
  sampleApprovalPreview,
  samplePinPreview,
  sampleVetoPreview,
} from '../api/sample-views.js'
import { openTestShell } from './type-command.js'

/**
 * Clear the screen, colour, bell, C1 control, overrides of direction, line separator, byte order mark, tag character.
 */
const evil = '\u001b[2J\u001b[31m\u0007\u009b2J\r\n\u202e\u2066\u200f\u2028\ufeff\u{e0041}"'
const commands =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u

/** Words that gitmoor itself chooses, and times. */
const ours = new Set(
  'digest kind phase outcome sync health type intent action rule severity eventType managedBy id run createdAt startedAt finishedAt seenAt nextPollAt checkedAt until drift apply adopt dataLoss onFailure etag'.split(
    ' ',
  ),
)

/** The same, with evil in each text that is not ours. */
function spoilt<T>(value: T, key = ''): T {
  if (typeof value === 'string') return (ours.has(key) ? value : `${value}${evil}`) as T
  if (Array.isArray(value)) return value.map((one: unknown) => spoilt(one, key)) as T
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, spoilt(one, key === 'live' || key === 'cause' ? '' : name)]),
  ) as T
}

const stored = {
  ...sampleStack,
  suspended: { why: 'lunch', by: 'ann', until: null },
  pinned: { run: '3', revision: 'x', by: 'ann', why: 'y' },
}
const failed = { ...sampleRun, outcome: 'failed', problems: samplePlan.problems } as const
const row = {
  ...sampleRow,
  cause: { kind: 'tag-moved', ref: 'stable', from: 'a', to: 'b', by: 'ann', note: 'so' },
} as const

const refusal = { status: 'locked', code: 'stacks/suspended', message: 'It is suspended.' } as const

const answers: Partial<Ask> = {
  createStack: async () => spoilt({ stack: stored, run: '12' }),
  previewCreate: async () => spoilt(samplePlan),
  importStack: async () => spoilt(sampleImport),
  previewImport: async () => ({ ...spoilt(sampleImport), stack: null }),
  listUnmanaged: async () => spoilt(sampleUnmanaged),
  updateStack: async () =>
    spoilt({ stack: stored, changes: [{ path: 'apply', new: 'auto' }], plan: samplePlan, problem: 'it is so' }),
  listStacks: async () => ({ items: [spoilt(stored)], next: null }),
  getStack: async () => spoilt(stored),
  deleteStack: async () => ({ run: spoilt(sampleRun) }),
  previewPlan: async () => spoilt(samplePlan),
  applyPlan: async () => spoilt(row),
  approvePlan: async () => spoilt(row),
  cancelRun: async () => spoilt(stored),
  requestSync: async () => spoilt(row),
  listTargets: async () => ({ items: [spoilt({ ...sampleTarget, ...refusedTarget })], next: null }),
  getTarget: async () => spoilt({ ...sampleTarget, ...refusedTarget }),
  testTarget: async () => spoilt(sampleTargetTest),
  requestSyncs: async () => ({
    items: [
      { name: evil, run: spoilt(row) },
      { name: 'edge', error: spoilt(refusal) },
    ],
  }),
  waitForStack: async () => spoilt(stored),
  listRuns: async () => ({ items: [spoilt(row)], next: null }),
  listAllRuns: async () => ({ items: [spoilt({ ...row, stack: 'boards' })], next: null }),
  getRun: async () => spoilt(failed),
  compareRuns: async () => spoilt(sampleComparison),
  getConfiguration: async () => spoilt(sampleConfiguration),
  rollBack: async () => spoilt({ ...row, etag: stored.etag }),
  unpinStack: async () => ({ stack: spoilt(stored), run: '12' }),
  suspendStack: async () => spoilt(stored),
  resumeStack: async () => spoilt(stored),
  explainStack: async () => spoilt({ ...sampleExplanation, text: 'Because.' }),
  listChannels: async () => ({ items: [spoilt(sampleChannel)], next: null }),
  listMoves: async () => ({ items: [spoilt(sampleMove)], next: null }),
  listDeliveries: async () => ({ items: [spoilt(sampleDelivery)], next: null }),
  redeliver: async () => spoilt(sampleDelivery),
  listReceivers: async () => ({ items: [spoilt({ ...sampleReceiver, match: 'x' })], next: null }),
  listMessages: async () => ({ items: [spoilt(sampleMessage)], next: null }),
  testReceiver: async () => spoilt(sampleMessage),
  listResources: async () => ({ items: [spoilt(sampleResource)], next: null }),
  getResource: async () => spoilt(sampleResource),
  editResource: async () => spoilt(sampleResource),
  discoverPackages: async () => spoilt(sampleDiscovery),
  approveMove: async () => spoilt(sampleDecidedMove),
  vetoMove: async () => spoilt(sampleDecidedMove),
  previewApproval: async () => ({
    ...spoilt(sampleApprovalPreview),
    move: { ...spoilt(sampleMove), to: sampleMove.to },
  }),
  previewPin: async () => ({ ...spoilt(samplePinPreview), commit: samplePinPreview.commit }),
  previewVeto: async () => spoilt(sampleVetoPreview),
  // The request for the promotion repeats the ids of commits.
  previewPromotion: async () => ({ ...spoilt(samplePromotion), commit: samplePromotion.commit, before: null }),
  promoteTag: async () => spoilt(samplePromoted),
}

const lines = [
  'stack list',
  'stack get boards',
  'stack compare boards 10 12',
  'config show',
  'stack create boards --repo https://git.example/boards',
  'stack create boards --repo https://git.example/boards --dry-run',
  'stack set boards --ref beta',
  'stack delete boards --uninstall --yes --consent Bucket/*',
  'plan boards',
  'approve boards 3fa9c0d1e2b4',
  'cancel boards',
  'sync boards',
  'sync boards --no-wait',
  'wait boards',
  'history boards',
  'history boards 12',
  'rollback boards 12 --why x --yes',
  'unpin boards',
  'suspend boards --why x',
  'resume boards',
  'explain boards',
  'channel list',
  'channel log stable',
  'target list',
  'target get local',
  'target test local',
  'webhook log',
  'webhook redeliver 7',
  'notification list',
  'notification log',
  'notification test ops',
  'resource list',
  'resource get Bucket/raw',
  'resource edit Bucket/raw --set name=x',
  'sync --all',
  'history',
  'plan --all',
  'wait --all',
  'suspend --all --why x',
  'stack discover --repo https://git.example/boards',
  'stack discover --target prod',
  'import --stack-id 0a --target prod --repo https://git.example/boards',
  'import --stack-id 0a --target prod --repo https://git.example/boards --dry-run',
  'channel veto 12 --why x --no-wait --yes',
  'channel approve 12 --why x --no-wait --yes',
  'channel promote beta stable --why x --yes',
]

/** They say nothing that comes from outside. */
const quiet = ['cancel boards', 'sync boards --no-wait', 'resource edit Bucket/raw --set name=x']

/** Without the colours that are ours. */
function plain(text: string): string {
  return text.replaceAll(/\u001b\[(?:1|2|22|31|32|33|39)m/g, '')
}

describe('control characters in data are escaped:', () => {
  test.each(lines)('%s', async (line) => {
    const shell = await openTestShell(answers)
    for (const terminal of [false, true]) {
      const { stdout, stderr } = await shell.type(line, { terminal })
      const said = plain(stdout + stderr)
      expect(said).not.toMatch(commands)
      if (!quiet.includes(line)) expect(said).toMatch(/\\u202e|\\u001b/)
    }
  })

  test.each([
    'stack delete boards --uninstall',
    'resource delete Bucket/raw',
    'rollback boards 12 --why x',
    'channel veto 12 --why x',
    'channel approve 12 --why x',
  ])('%s: the question', async (line) => {
    const stdin = Object.assign(new PassThrough().end(), { isTTY: true })
    const { stderr } = await (await openTestShell(answers)).type(line, { terminal: true, stdin })
    expect(plain(stderr)).not.toMatch(commands)
    expect(plain(stderr)).toMatch(/\\u202e[^]* Type yes to continue:/)
  })

  test('sync boards: the progress on a terminal', async () => {
    const blocker = { reason: 'Dependencies', message: `base ${evil}`, since: null, until: null, next: [] } as const
    const queued: RunView = { ...sampleRun, phase: 'queued', outcome: null, blockers: [blocker] }
    const runs = [queued, sampleRun]
    const shell = await openTestShell({ getRun: async () => runs.shift()! })
    const { stderr } = await shell.type('sync boards', { terminal: true })
    expect(plain(stderr)).not.toMatch(commands)
    expect(stderr).toContain('base \\u001b')
  })

  test.each(lines.filter((line) => line !== 'stack set boards --ref beta'))(
    '%s --json is exact, with escaped control characters',
    async (line) => {
      const { stdout } = await (await openTestShell(answers)).type(`${line} --json`)
      expect(stdout).not.toMatch(commands)
      expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(evil).slice(1, -1))
    },
  )

  test.each(lines)('%s: an error', async (line) => {
    const refuse = (): Promise<never> =>
      Promise.reject(
        new Refused('failed', `No ${evil}`, {
          code: `x/${evil}`,
          hint: `Do ${evil}`,
          problems: spoilt(samplePlan.problems),
        }),
      )
    const refusing = Object.fromEntries(Object.keys(answers).map((verb) => [verb, refuse])) as Partial<Ask>
    const shell = await openTestShell(refusing)
    for (const terminal of [false, true]) {
      const { stderr, stdout, code } = await shell.type(line, { terminal })
      expect(code).not.toBe(0)
      expect(plain(stdout + stderr)).not.toMatch(commands)
      expect(stderr).toContain('\\u202e')
    }
    const { stderr } = await shell.type(`${line} --json`)
    expect(stderr).not.toMatch(commands)
    expect(JSON.parse(stderr)).toMatchObject({ error: { message: `No ${evil}`, hint: `Do ${evil}` } })
  })

  test.each([
    ['a name', ['stack', 'get', `x${evil}`]],
    ['a verb', [`x${evil}`]],
    ['an option', ['stack', 'list', `--x${evil}`]],
    ['a file', ['stack', 'create', '-f', `x${evil}`]],
    ['a package', ['validate', `x${evil}`]],
  ])('%s that is typed', async (_, words) => {
    const shell = await openTestShell({
      getStack: () => Promise.reject(new Refused('not-found', `There is no stack named x${evil}.`)),
    })
    const { stdout, stderr, code } = await shell.type(words)
    expect(code).not.toBe(0)
    expect(stdout + stderr).not.toMatch(commands)
  })
})

describe('the log', () => {
  test.each(['text', 'json'] as const)('as %s has them escaped', (format) => {
    const written: string[] = []
    const log = openLog({ level: 'debug', format, write: (line) => written.push(line), redact: (text) => text })
    log.warn('source not seen', { stack: `boards${evil}`, [`key${evil}`]: { deep: [evil] }, error: evil })
    expect(written).toHaveLength(1)
    expect(written[0]!.slice(0, -1)).not.toMatch(commands)
    expect(written[0]!.slice(0, -1)).not.toContain('\n')
    if (format === 'json') expect(JSON.parse(written[0]!)).toMatchObject({ error: evil, stack: `boards${evil}` })
  })
})

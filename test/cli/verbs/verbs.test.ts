import { readFile, stat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  sampleDelivery,
  sampleDigest,
  samplePlan,
  sampleResource,
  sampleRevision,
  sampleRow,
  sampleRun,
  sampleStack,
  sampleWebhook,
} from '../../api/sample-views.js'
import { Rejected } from '../../../src/model/errors.js'
import type { Ask } from '../../ask.js'
import { openTestShell } from '../type-command.js'

interface Case {
  readonly line: string
  readonly asks: readonly string[]
  readonly prints: string
  readonly code?: number
}

const cases: Readonly<Record<string, Case>> = {
  'create waits for the first sync': {
    line: 'stack create boards --repo https://git.example/boards --ref stable',
    asks: ['createStack', 'getRun', 'getStack'],
    prints: 'boards: applied stable@2f1c9ab in 0.42 s. 1 created, 1 updated, 1 removed, 4 unchanged.',
  },
  'create --no-wait does not': {
    line: 'stack create boards --repo https://git.example/boards --no-wait',
    asks: ['createStack', 'getRun'],
    prints: 'Created boards. Its first sync is run 12.',
  },
  'create --dry-run shows the plan of the first sync': {
    line: 'stack create boards --repo https://git.example/boards --dry-run',
    asks: ['previewCreate'],
    prints:
      'Would create boards. Nothing is created yet.\nPlan of its first sync:\n\nboards at stable@2f1c9ab on target local',
  },
  'set waits for its run': {
    line: 'stack set boards --ref beta',
    asks: ['getStack', 'updateStack', 'getRun', 'getStack'],
    prints: 'boards: applied stable@2f1c9ab in 0.42 s. 1 created, 1 updated, 1 removed, 4 unchanged.',
  },
  'set --no-wait shows the next plan': {
    line: 'stack set boards --ref beta --no-wait',
    asks: ['getStack', 'updateStack'],
    prints: 'Changed boards.\n      sources[0].ref: "stable" → "beta"\nPlan of the next run:',
  },
  'set --dry-run shows the changes and the next plan': {
    line: 'stack set boards --ref beta --dry-run',
    asks: ['previewUpdate'],
    prints:
      'Would change boards. Nothing is changed yet.\n      sources[0].ref: "stable" → "beta"\nPlan of the next run:',
  },
  'list shows stacks': { line: 'stack list', asks: ['listStacks'], prints: 'https://git.example/boards#stable' },
  'config show lists the values with their lines': {
    line: 'config show limits',
    asks: ['getConfiguration'],
    prints: '${env:FORGE_TOKEN}',
  },
  'compare shows what two runs declare differently': {
    line: 'stack compare boards 10 12',
    asks: ['compareRuns'],
    prints: 'boards from run 10 (stable@2f1c9ab) to run 12 (stable@2f1c9ab)',
  },
  'get shows a stack': { line: 'stack get boards', asks: ['getStack'], prints: 'state:         Synced' },
  'get -o yaml prints the document': { line: 'stack get boards -o yaml', asks: ['getStack'], prints: 'interval: 1m' },
  'delete keeps the resources': {
    line: 'stack delete boards --yes',
    asks: ['getStack', 'deleteStack'],
    prints: 'Deleted boards. 1 resource stays on target local without an owner, unless another stack shares it.',
  },
  'delete --uninstall deletes the resources': {
    line: 'stack delete boards --uninstall --yes --consent Bucket/*',
    asks: ['previewPlan', 'deleteStack'],
    prints: '\n\nDeleted boards. 1 resource removed.\n',
  },
  'uninstall deletes the resources and keeps the stack': {
    line: 'stack uninstall boards --yes --consent Bucket/old',
    asks: ['previewPlan', 'uninstallStack'],
    prints: 'boards: uninstalled',
  },
  'adopt imports a resource': {
    line: 'stack adopt boards Dashboard/ops --id 0a1b2c3d4e5f6071',
    asks: ['adoptResource'],
    prints: 'boards now owns Dashboard/ops (0a1b2c3d4e5f6071).',
  },
  'release keeps the resource': {
    line: 'stack release boards Bucket/raw --yes',
    asks: ['releaseResource'],
    prints: 'boards no longer owns Bucket/raw. It stays on the target.',
  },
  'release warns about a kind that is not found by name': {
    line: 'stack release boards Dashboard/ops --yes',
    asks: ['releaseResource'],
    prints: 'the next sync creates a second Dashboard',
  },
  'plan shows changes': {
    line: 'plan boards',
    asks: ['previewPlan'],
    prints: '1 to create, 1 to update, 1 to remove, 4 unchanged.',
  },
  'plan --detailed-exitcode exits with 2 for changes': {
    line: 'plan boards --detailed-exitcode',
    asks: ['previewPlan'],
    prints: '1 to create',
    code: 2,
  },
  'approve applies': {
    line: 'approve boards 3fa9c0d1e2b4',
    asks: ['approvePlan', 'getRun'],
    prints: 'boards: applied',
  },
  'cancel without a run says so': {
    line: 'cancel boards',
    asks: ['getStack', 'cancelRun'],
    prints: 'boards: no run in progress.',
  },
  'sync waits for its run': {
    line: 'sync boards',
    asks: ['requestSync', 'getRun', 'getStack'],
    prints: 'boards: applied stable@2f1c9ab',
  },
  'sync --no-wait does not': {
    line: 'sync boards --no-wait',
    asks: ['requestSync'],
    prints: 'Run 12 of boards is queued.',
  },
  'wait waits': {
    line: 'wait boards --for synced --revision 2f1c9ab --timeout 5s',
    asks: ['waitForStack'],
    prints: 'boards is synced at stable@2f1c9ab.',
  },
  'wait --for healthy waits for health': {
    line: 'wait boards --for healthy',
    asks: ['waitForStack'],
    prints: 'boards is healthy at stable@2f1c9ab.',
  },
  'sync --wait healthy waits for its run, then for health': {
    line: 'sync boards --wait healthy',
    asks: ['requestSync', 'getRun', 'getStack', 'waitForStack'],
    prints: 'boards is healthy at stable@2f1c9ab.',
  },
  'stack create --wait healthy waits for its run, then for health': {
    line: 'stack create boards --repo https://git.example/boards --wait healthy --timeout 5m',
    asks: ['createStack', 'getRun', 'getStack', 'waitForStack'],
    prints: 'boards is healthy at stable@2f1c9ab.',
  },
  'history shows runs': {
    line: 'history boards --limit 1',
    asks: ['listRuns', 'getStack'],
    prints: 'requested by ann',
  },
  'history shows a run': { line: 'history boards 12', asks: ['getRun'], prints: 'cause:' },
  'rollback applies a former run': {
    line: 'rollback boards 12 --why because --yes',
    asks: ['rollBack', 'getRun', 'getStack'],
    prints: 'boards: applied',
  },
  'unpin ends a rollback': { line: 'unpin boards', asks: ['unpinStack'], prints: 'Unpinned boards.' },
  'suspend stops writes': {
    line: 'suspend boards --why moving --for 2h',
    asks: ['suspendStack'],
    prints: 'Suspended boards. gitmoor writes nothing to its target.',
  },
  'resume ends a suspension': { line: 'resume boards', asks: ['resumeStack'], prints: 'Resumed boards.' },
  'explain shows the last change of a resource': {
    line: 'explain boards Dashboard/ops',
    asks: ['explainResource'],
    prints: 'charts[0] "CPU"\n        name: "CPU" → "Processor"',
  },
  'explain shows blockers': {
    line: 'explain boards',
    asks: ['explainStack', 'explainResources'],
    prints: 'next: gitmoor resume boards',
  },
  'channel list lists': { line: 'channel list', asks: ['listChannels'], prints: '2f1c9ab' },
  'channel log lists moves': { line: 'channel log stable', asks: ['listMoves'], prints: '81d0c3e' },
  'channel pin keeps stacks where they are': {
    line: 'channel pin stable --why audit',
    asks: ['pinChannel'],
    prints: '2f1c9ab',
  },
  'channel unpin waits for the stacks that move': {
    line: 'channel unpin stable --yes',
    asks: ['unpinChannel', 'getRun'],
    prints: 'boards: applied stable@2f1c9ab',
  },
  'channel veto says which stacks move, and waits for them': {
    line: 'channel veto 3 --why because --yes',
    asks: ['vetoMove', 'getRun'],
    prints:
      'Move 3 of https://git.example/boards#stable to 2f1c9ab is vetoed.\n' +
      '  boards moves to stable@2f1c9ab in run 12\n' +
      '  asleep moves to stable@2f1c9ab when it is resumed: gitmoor resume asleep\n',
  },
  'channel veto --no-wait does not wait': {
    line: 'channel veto 3 --why because --no-wait --yes',
    asks: ['vetoMove'],
    prints: 'boards moves to stable@2f1c9ab in run 12',
  },
  'channel veto takes a channel and its latest move': {
    line: 'channel veto stable latest --why because --no-wait --yes',
    asks: ['listMoves', 'vetoMove'],
    prints: 'Move 3 of',
  },
  'channel approve takes CHANNEL@MOVE': {
    line: 'channel approve stable@3 --why because --yes',
    asks: ['listMoves', 'previewApproval', 'approveMove'],
    prints: 'is released.\nNo stack moves.',
  },
  'channel pin takes the latest move': {
    line: 'channel pin stable latest --why audit --yes',
    asks: ['listMoves', 'previewPin', 'pinChannel'],
    prints: 'pinned at 2f1c9ab',
  },
  'webhook list lists': { line: 'webhook list', asks: ['listWebhooks'], prints: '/hooks/github' },
  'webhook log lists deliveries': { line: 'webhook log github', asks: ['listDeliveries'], prints: 'boards/12' },
  'notification list lists': { line: 'notification list', asks: ['listReceivers'], prints: 'slack' },
  'notification log lists messages': { line: 'notification log ops', asks: ['listMessages'], prints: 'boards failed' },
  'notification test shows the result': {
    line: 'notification test ops',
    asks: ['testReceiver'],
    prints: 'Message 42 to ops: sent (200).',
  },
  'notification redeliver shows the message': {
    line: 'notification redeliver 42',
    asks: ['redeliverMessage'],
    prints: 'Message 42 to ops',
  },
  'webhook redeliver shows the result': {
    line: 'webhook redeliver 7',
    asks: ['redeliver'],
    prints: 'Run 12 of boards: applied.',
  },
  'webhook test shows the settings of the sender': {
    line: 'webhook test github',
    asks: ['testWebhook'],
    prints: 'Payload URL: https://HOST/hooks/github',
  },
  'channel promote moves the tag': {
    line: 'channel promote beta stable --why because --yes',
    asks: ['previewPromotion', 'promoteTag', 'getRun'],
    prints: 'Moved stable to 2f1c9ab (tag object 9a0b1c2).',
  },
  'stack discover lists packages': {
    line: 'stack discover --repo https://git.example/boards',
    asks: ['discoverPackages'],
    prints: 'team    1 Bucket, 2 Label  skipped: includes team/a',
  },
  'export prints a package': {
    line: 'export --stack boards',
    asks: ['exportPackage'],
    prints: 'kind: Bucket\nmetadata:\n  name: raw\n',
  },
  'export -o json prints the documents': {
    line: 'export --all -o json',
    asks: ['exportPackage'],
    prints: '"kind": "Bucket"',
  },
  'export -f writes a file': {
    line: 'export --all -f out.yml',
    asks: ['exportPackage'],
    prints: 'Wrote 2 resources to out.yml.',
  },
  'resource list lists': {
    line: 'resource list --stack boards',
    asks: ['listResources'],
    prints: 'Bucket/00000000000000a1',
  },
  'resource get shows': { line: 'resource get Bucket/raw', asks: ['getResource'], prints: 'everySeconds: 3600' },
  'resource get says who shares': {
    line: 'resource get Bucket/raw',
    asks: ['getResource'],
    prints: 'shared by:  copies, edge',
  },
  'resource delete deletes': {
    line: 'resource delete Bucket/raw --yes',
    asks: ['getResource', 'deleteResource'],
    prints: 'Deleted Bucket/raw.',
  },
  'resource edit --set writes': {
    line: 'resource edit Bucket/raw --set name=x',
    asks: ['getResource', 'editResource'],
    prints: 'Changed Bucket/raw.',
  },
}

describe('a verb calls the API, prints and exits:', () => {
  test.each(Object.entries(cases))('%s', async (_, { line, asks, prints, code = 0 }) => {
    const shell = await openTestShell()
    const typed = await shell.type(line)
    expect(typed.stdout).toContain(prints)
    expect(typed.code).toBe(code)
    expect(shell.calls.map((one) => one.verb)).toEqual(asks)
  })

  test.each(Object.entries(cases))('with --json it prints one document: %s', async (_, { line, code = 0 }) => {
    const typed = await (await openTestShell()).type(`${line} --json`)
    expect(typed.code).toBe(code)
    expect(JSON.parse(typed.stdout)).toBeTypeOf('object')
    expect(typed.stderr).toBe('')
  })
})

describe('documented fields of --json:', () => {
  test('stack get prints the view', async () => {
    const { stdout } = await (await openTestShell()).type('stack get boards --json')
    expect(JSON.parse(stdout)).toEqual(sampleStack)
  })

  test('plan prints the plan, sync the run, create both', async () => {
    const shell = await openTestShell()
    expect(JSON.parse((await shell.type('plan boards --json')).stdout)).toEqual(JSON.parse(JSON.stringify(samplePlan)))
    expect(JSON.parse((await shell.type('sync boards --json')).stdout)).toEqual(JSON.parse(JSON.stringify(sampleRun)))
    expect(Object.keys(JSON.parse((await shell.type('stack create boards --repo /x --json')).stdout))).toEqual([
      'stack',
      'run',
    ])
  })

  test('control characters are escaped, and the JSON stays the same', async () => {
    const evil = { ...sampleStack, displayName: '\u009b31m\u202eevil\u001b[2J' }
    const { stdout } = await (await openTestShell({ getStack: async () => evil })).type('stack get boards --json')
    expect(stdout).not.toMatch(/[\u009b\u202e\u001b]/)
    expect(JSON.parse(stdout)).toEqual(evil)
  })
})

describe('options become a stack document:', () => {
  test('for a new stack', async () => {
    const shell = await openTestShell()
    const options =
      '--path a/b --target lab --interval 30s --drift report --apply approval --on-failure continue --max-deletes 3 --adopt refuse --data-loss allow'
    await shell.type(`stack create boards --repo ./work --ref stable ${options}`)
    expect(shell.calls[0]?.args[0]).toMatchObject({
      name: 'boards',
      target: 'lab',
      sources: [{ url: `file://${shell.directory}/work`, ref: 'stable', path: 'a/b' }],
      intervalMs: 30_000,
      drift: 'report',
      apply: 'approval',
      onFailure: 'continue',
      maxDeletes: 3,
      adopt: 'refuse',
      dataLoss: 'allow',
    })
  })

  test('a stack document needs no name where the command has one, and must not have another one', async () => {
    const shell = await openTestShell()
    await writeFile(join(shell.directory, 'boards.yaml'), 'sources: [{ url: https://git.example/boards }]\n')
    await shell.type('stack create boards --no-wait -f boards.yaml')
    expect(shell.calls.find(({ verb }) => verb === 'createStack')?.args[0]).toMatchObject({ name: 'boards' })
    await writeFile(join(shell.directory, 'lab.yaml'), 'name: lab\nsources: [{ url: https://git.example/boards }]\n')
    expect(await shell.type('stack create boards -f lab.yaml')).toMatchObject({
      code: 3,
      stderr: 'error: lab.yaml describes stack lab, not boards.\n  next: Use the same name in both.\n',
    })
  })

  test('a file gives the document, options change single settings of it', async () => {
    const shell = await openTestShell()
    const { stdout } = await shell.type('stack get boards -o yaml')
    await writeFile(join(shell.directory, 'boards.yaml'), stdout)
    await shell.type('stack create boards -f boards.yaml --ref beta --max-deletes 2')
    const { kind: _, ...source } = sampleStack.spec.sources[0]!
    const made = shell.calls.find((one) => one.verb === 'createStack')?.args[0]
    expect(made).toEqual({ ...sampleStack.spec, maxDeletes: 2, sources: [{ kind: 'git', ...source, ref: 'beta' }] })
  })

  test.each([
    ['--url https://h/a.yml', [{ kind: 'url', url: 'https://h/a.yml' }]],
    [
      `--url https://h/a.yml --digest sha256:${'0'.repeat(64)}`,
      [{ kind: 'url', url: 'https://h/a.yml', digest: `sha256:${'0'.repeat(64)}` }],
    ],
    ['--url https://h/a.zip --path p/', [{ kind: 'url', url: 'https://h/a.zip', path: 'p' }]],
    ['--dir /srv/boards/', [{ kind: 'directory', directory: '/srv/boards' }]],
    ['--inline', [{ kind: 'inline' }]],
  ])('for a new stack with %s', async (options, sources) => {
    const shell = await openTestShell()
    expect((await shell.type(`stack create boards ${options}`)).code).toBe(0)
    expect(shell.calls[0]?.args[0]).toMatchObject({ name: 'boards', sources })
  })

  test.each([
    '--repo ./a --url https://h/a.yml',
    '--dir . --ref main',
    '--inline --dir .',
    '--repo ./a --digest x',
    '',
  ])('options that conflict are a usage error: %j', async (options) => {
    expect((await (await openTestShell()).type(`stack create boards ${options}`)).code).toBe(3)
  })

  test('cancel says what became of a plan that needed approval, and of a run that was cancelled before', async () => {
    const row = (outcome: 'needs-approval' | 'cancelled') => ({ ...sampleStack, lastRun: { ...sampleRow, outcome } })
    const answers = [row('needs-approval'), row('cancelled')]
    const shell = await openTestShell({
      getStack: async () => answers.shift()!,
      cancelRun: async () => row('cancelled'),
    })
    expect((await shell.type('cancel boards')).stdout).toBe('boards: the plan is cancelled. Nothing was changed.\n')
    expect((await shell.type('cancel boards')).stdout).toBe('boards: its run was cancelled already.\n')
  })

  test('stack create says that the stack exists although its first sync failed', async () => {
    const shell = await openTestShell({ getRun: async () => ({ ...sampleRun, outcome: 'failed', changes: null }) })
    const { code, stdout } = await shell.type('stack create boards --repo https://git.example/boards')
    expect([code, stdout]).toEqual([
      6,
      'Created boards, but its first sync failed.\nboards: failed at stable@2f1c9ab.\n',
    ])
  })

  test('an inline stack prints how to push its package', async () => {
    const { stdout } = await (await openTestShell()).type('stack create boards --inline')
    expect(stdout).toContain('gitmoor stack push boards -f FILE')
  })

  test('a change warns of what the next plan warns of', async () => {
    const message = 'A value is given for "typo", but the package does not use it.'
    const problems = [{ severity: 'warning', code: 'stacks/unused-value', message }] as const
    const { stdout, stderr } = await (
      await openTestShell({
        updateStack: async () => ({ stack: sampleStack, changes: [], plan: { ...samplePlan, problems } }),
      })
    ).type('stack set boards --value typo=1')
    expect(stdout).toContain('boards already has these settings.')
    expect(stderr).toContain(`warning: ${message}`)
  })

  test.each([
    [0, 'Start it: gitmoor agent --data /srv/data'],
    [2, 'Start it with the file that declares 2 of them: gitmoor agent --config FILE --data /srv/data'],
  ])('a restore of %i declared stacks says how to start the agent', async (declared, next) => {
    const facts = { directory: '/srv/data', stacks: 3, declared, createdAt: null, withKey: true, cannotUndo: 0 }
    const { stdout } = await (await openTestShell()).type('restore b.db', { restore: async () => facts })
    expect(stdout).toContain(`\n  next: ${next}\n`)
  })

  test('a dry run ends as its plan would', async () => {
    const error = { status: 'source', code: 'git/ref-missing', message: 'There is no ref beta.' } as const
    const dryRun = async (answer: Awaited<ReturnType<Ask['previewUpdate']>>, json = '') =>
      (await openTestShell({ previewUpdate: async () => answer })).type(`stack set boards --ref beta --dry-run${json}`)
    const refused = await dryRun({ changes: [], error })
    expect([refused.code, refused.stdout]).toEqual([
      5,
      'boards already has these settings.\nCannot plan the next run yet: There is no ref beta.\n',
    ])
    const nothing = await dryRun({ changes: [] }, ' --json')
    expect([nothing.code, JSON.parse(nothing.stdout)]).toEqual([0, { changes: [] }])
  })

  test('a dry run of a creation ends as a plan, and creates nothing', async () => {
    const line = 'stack create boards --repo https://git.example/boards --dry-run'
    const shell = await openTestShell()
    const shown = await shell.type(line)
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('This plan will need approval: ')])
    expect((await shell.type(line.replace('--dry-run', '--detailed-exitcode'))).code).toBe(2)
    const printed = await shell.type(`${line} --json`)
    expect([printed.code, JSON.parse(printed.stdout)]).toMatchObject([
      0,
      { stack: '', stackName: 'boards', digest: sampleDigest },
    ])
    expect(new Set(shell.calls.map(({ verb }) => verb))).toEqual(new Set(['previewCreate']))
    const message = 'In https://git.example/boards there is no branch or tag "beta".'
    const previewCreate = () => Promise.reject(new Rejected(message, { code: 'source/ref-missing' }))
    const refused = await (await openTestShell({ previewCreate })).type(line)
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([5, '', expect.stringContaining(message)])
  })

  test('a change names the fields of its source', async () => {
    const shell = await openTestShell()
    await shell.type('stack set boards --url https://h/b.yml')
    await shell.type('stack set boards --ref beta')
    expect(shell.calls.filter(({ verb }) => verb === 'updateStack').map(({ args }) => args[1])).toEqual([
      { source: { kind: 'url', url: 'https://h/b.yml' } },
      { source: { ref: 'beta' } },
    ])
  })

  test('files and directories are pushed with their paths; without a package file, push fails', async () => {
    const shell = await openTestShell()
    await mkdir(join(shell.directory, 'boards/eu'), { recursive: true })
    await writeFile(join(shell.directory, 'boards/eu/a.yml'), 'a: 1')
    await writeFile(join(shell.directory, 'boards/README.md'), 'no package')
    await writeFile(join(shell.directory, 'b.yml'), 'b: 1')
    await shell.type('stack push boards -f boards')
    await shell.type('stack push boards -f boards b.yml')
    const pushed = shell.calls.filter(({ verb }) => verb === 'pushPackage').map(({ args }) => args[1])
    expect(pushed).toEqual([
      { files: [{ path: 'eu/a.yml', text: 'a: 1' }] },
      {
        files: [
          { path: 'boards/eu/a.yml', text: 'a: 1' },
          { path: 'b.yml', text: 'b: 1' },
        ],
      },
    ])
    expect((await shell.type('stack push boards')).code).toBe(3)
    expect((await shell.type('stack push boards -f boards/README.md')).code).toBe(3)
  })

  test('a file with problems is refused with their lines', async () => {
    const shell = await openTestShell()
    await writeFile(
      join(shell.directory, 'bad.yaml'),
      'name: boards\nsources:\n  - url: https://git.example/x\nintervall: 30s\n',
    )
    const typed = await shell.type('stack create boards -f bad.yaml')
    expect(typed).toMatchObject({ code: 3, stdout: '' })
    expect(typed.stderr).toContain('bad.yaml:4')
    expect(typed.stderr).toContain('interval')
  })

  test('set without settings is a usage error', async () => {
    expect(await (await openTestShell()).type('stack set boards')).toMatchObject({ code: 3 })
  })
})

describe('a plan is saved and applied:', () => {
  test('the file is readable for its owner only, and has all that apply needs', async () => {
    const shell = await openTestShell()
    expect((await shell.type('plan boards --out boards.plan')).code).toBe(0)
    const path = join(shell.directory, 'boards.plan')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ gitmoor: 'plan', digest: sampleDigest })
    expect((await shell.type('apply boards.plan')).code).toBe(0)
    expect(shell.calls.find((one) => one.verb === 'applyPlan')?.args[0]).toEqual({
      stack: 'boards',
      revision: sampleRevision,
      digest: sampleDigest,
    })
  })

  test('is refused if its changes were edited, and applied if only its layout was', async () => {
    const shell = await openTestShell()
    await shell.type('plan boards --out boards.plan')
    const path = join(shell.directory, 'boards.plan')
    const saved = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify(saved))
    expect((await shell.type('apply boards.plan')).code).toBe(0)
    await writeFile(path, JSON.stringify({ ...saved, changes: saved.changes.slice(1) }))
    const edited = await shell.type('apply boards.plan')
    expect(edited.code).toBe(3)
    expect(edited.stderr).toContain('boards.plan was changed after it was saved.')
    expect(shell.calls.filter((one) => one.verb === 'applyPlan')).toHaveLength(1)
  })

  test('of an older version, which has no checksum, is applied', async () => {
    const shell = await openTestShell()
    const old = { gitmoor: 'plan', stackName: 'boards', revision: sampleRevision, digest: sampleDigest }
    await writeFile(join(shell.directory, 'boards.plan'), JSON.stringify(old))
    expect((await shell.type('apply boards.plan')).code).toBe(0)
  })

  test.each([
    ['a file that is none', '{"x":1}'],
    ['a file that is no JSON', 'hello'],
  ])('%s is refused', async (_, text) => {
    const shell = await openTestShell()
    await writeFile(join(shell.directory, 'boards.plan'), text)
    const typed = await shell.type('apply boards.plan')
    expect(typed.code).toBe(3)
    expect(typed.stderr).toContain('gitmoor plan NAME --out FILE')
  })
})

describe('a plan that was approved before', () => {
  const approve = 'approve boards 3fa9c0d1e2b4'

  test('says by whom and when, and how long its window is closed', async () => {
    const waiting = { phase: 'queued', outcome: null, startedAt: null, finishedAt: null } as const
    const window = {
      reason: 'Window',
      message: 'A sync window denies writes.',
      since: null,
      until: '2026-11-22T06:00:00.000Z',
      next: [],
    } as const
    const shell = await openTestShell({
      approvePlan: async () => ({ ...sampleRow, ...waiting, already: true }),
      getRun: async () => ({ ...sampleRun, ...waiting, blockers: [window] }),
    })
    expect(await shell.type(approve)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^ann approved this plan \S+ ago: run 12\.\n/) as string,
      stdout: 'boards: run 12 is queued. A sync window denies writes.\n',
    })
  })

  test('and applied since says which run applied it', async () => {
    const shell = await openTestShell({ approvePlan: async () => ({ ...sampleRow, already: true }) })
    expect(await shell.type(approve)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^boards: run 12 already applied this plan \S+ ago\.\n$/) as string,
    })
  })
})

describe('resources without a stack:', () => {
  test('a resource is created from a file', async () => {
    const shell = await openTestShell()
    await writeFile(join(shell.directory, 'mine.yaml'), 'family: Bucket\ndesired: {name: mine}\n')
    const line = 'resource create -f mine.yaml --target local --override-window --why INC-7'
    expect((await shell.type(line)).code).toBe(0)
    const request = { target: 'local', overrideWindow: 'INC-7', why: 'INC-7', by: expect.any(String) as string }
    expect(shell.calls[0]).toEqual({ verb: 'createResource', args: ['Bucket', { name: 'mine' }, request] })
  })

  test('fields are set by path; lists too', async () => {
    const shell = await openTestShell()
    await shell.type([
      'resource',
      'edit',
      'Bucket/raw',
      '--set',
      'retentionRules[0].everySeconds=60',
      '--set',
      'description=by hand',
    ])
    const live = { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 60 }], description: 'by hand' }
    expect(shell.calls[1]?.args.slice(0, 2)).toEqual(['Bucket/raw', live])
  })

  test('a file replaces the state', async () => {
    const shell = await openTestShell()
    await writeFile(join(shell.directory, 'raw.json'), JSON.stringify({ ...sampleResource, actual: { name: 'other' } }))
    await shell.type('resource edit Bucket/raw -f raw.json')
    expect(shell.calls[1]?.args[1]).toEqual({ name: 'other' })
  })

  test('an editor gets the text, but no GITMOOR_ variables', async () => {
    const shell = await openTestShell()
    const editor = join(shell.directory, 'editor.mjs')
    const script = `import fs from 'node:fs'
      const file = process.argv[2]
      const text = fs.readFileSync(file, 'utf8').replace('raw', 'edited') + 'seen: ' + ('GITMOOR_DATA' in process.env) + '\\n'
      if ((fs.statSync(file).mode & 0o077) === 0) fs.writeFileSync(file, text)`
    await writeFile(editor, script)
    const environment = { GITMOOR_DATA: shell.directory, EDITOR: `${process.execPath} ${editor}` }
    const typed = await shell.type('resource edit Bucket/raw', { terminal: true, environment })
    expect(typed.code).toBe(0)
    expect(shell.calls[1]?.args[1]).toMatchObject({ name: 'edited', seen: false })
  })

  test('without a terminal, edit needs a file or fields', async () => {
    expect(await (await openTestShell()).type('resource edit Bucket/raw')).toMatchObject({ code: 3, stdout: '' })
  })
})

test('lists are read page by page', async () => {
  const pages = [
    { items: [sampleRow], next: '12' },
    { items: [{ ...sampleRow, id: '11' }], next: null },
  ]
  const shell = await openTestShell({ listRuns: async (_, { after }) => pages[after === undefined ? 0 : 1]! })
  const { stdout } = await shell.type('history boards --json')
  expect(JSON.parse(stdout).items.map((run: { id: string }) => run.id)).toEqual(['12', '11'])
  expect(shell.calls.map((one) => one.args[1])).toEqual([{ limit: 50 }, { limit: 49, after: '12' }])
})

describe('stack list', () => {
  test('sends its filters and its sort key', async () => {
    const shell = await openTestShell()
    await shell.type(
      'stack list --name team --sync Drifted --needs person --no-suspended --managed-by file --sort -lastRun',
    )
    const listing = {
      name: 'team',
      sync: 'Drifted',
      needs: 'person',
      suspended: false,
      managedBy: 'file',
      sort: '-lastRun',
    }
    expect(shell.calls[0]?.args).toEqual([{ limit: 500, ...listing }])
  })

  test('reports no matching stacks only with a filter', async () => {
    const shell = await openTestShell({ listStacks: async () => ({ items: [], next: null }) })
    expect((await shell.type('stack list --suspended')).stdout).toContain('No matching stacks.')
    expect((await shell.type('stack list --sort createdAt')).stdout).toContain('No stacks yet.')
  })

  test('refuses an unknown state', async () => {
    expect(await (await openTestShell()).type('stack list --sync synced')).toMatchObject({ code: 3, stdout: '' })
  })
})

test.each([
  ['moved', 0],
  ['ignored', 0],
  ['failed', 5],
  ['refused', 1],
  ['error', 1],
] as const)('a delivery that a person sends with the result %s exits with %i', async (result, code) => {
  const delivery = { ...sampleDelivery, result }
  const shell = await openTestShell({
    redeliver: async () => delivery,
    testWebhook: async () => ({
      webhook: sampleWebhook,
      sent: { repository: 'https://h/a', ref: 'main', commit: '1' },
      delivery,
    }),
  })
  expect((await shell.type('webhook redeliver 7')).code).toBe(code)
  expect((await shell.type('webhook test github')).code).toBe(code)
})

// What people read of stacks that a target keeps itself: stack discover --target, and import --stack-id.
import { expect, test } from 'vitest'
import { Refused } from '../../../src/model/errors.js'
import type { UnmanagedView } from '../../../src/views/packages/unmanaged.js'
import { sampleImport, sampleUnmanaged } from '../../api/sample-views.js'
import { openTestShell } from '../type-command.js'

const line = 'import --target prod --stack-id 0a1b2c3d4e5f6071 --repo https://git.example/boards'
/** Clears the screen, and turns the line round. */
const evil = 'old\u001b[2J\u202e\u2066boards\u0007'
const escaped = String.raw`old\u001b[2J\u202e\u2066boards\u0007`

const differences = `Not taken over: Dashboard/gone (0a1b2c3d4e5f6072, no longer on the target).
The package also declares, beside what its stack lists: Bucket/raw.
The package does not declare: Bucket/old. The first plan drops them.
`

test('an import says what it took over, how the package differs, and what comes next', async () => {
  const shell = await openTestShell()
  const { code, stdout, stderr } = await shell.type(line)
  expect(code).toBe(0)
  expect(stdout).toBe(`Took over 1 resource of its stack 0a1b2c3d4e5f6071 (old boards) on target prod as boards.
${differences}First plan: 1 to create, 1 to update, 1 to remove, 4 unchanged. boards is suspended until you resume it.

FAMILY  COUNT  NAMES
Bucket  1      raw
  next: See its first plan: gitmoor plan boards
  next: Then apply it: gitmoor resume boards
`)
  expect(stderr).toContain('warning: InfluxDB still has its stack 0a1b2c3d4e5f6071.\n  next: Rename it.\n')
  expect(shell.calls).toMatchObject([
    {
      verb: 'importStack',
      args: [
        {
          stackID: '0a1b2c3d4e5f6071',
          spec: { target: 'prod', sources: [{ kind: 'git', url: 'https://git.example/boards' }] },
        },
        expect.any(String),
      ],
    },
  ])
})

test('--dry-run takes over nothing, and shows the first plan', async () => {
  const shell = await openTestShell({ previewImport: async () => ({ ...sampleImport, stack: null, run: null }) })
  const { code, stdout } = await shell.type(`${line} --dry-run --name boards`)
  expect(code).toBe(0)
  expect(stdout)
    .toContain(`Would take over 1 resource of its stack 0a1b2c3d4e5f6071 (old boards) on target prod as boards.
${differences}First plan: 1 to create, 1 to update, 1 to remove, 4 unchanged. boards would be suspended until you resume it.
`)
  expect(stdout).toContain('\n  + Bucket/raw  new in the package\n')
  expect(shell.calls.map(({ verb }) => verb)).toEqual(['previewImport'])
  expect((await shell.type(`${line} --dry-run --detailed-exitcode`)).code).toBe(2)
})

test('stack discover --target lists what no stack manages, and the stacks of the target', async () => {
  const { code, stdout } = await (await openTestShell()).type('stack discover --target prod')
  expect(code).toBe(0)
  expect(stdout).toBe(`Stacks manage 2 resources on target prod; 103 are unmanaged.

FAMILY     COUNT  NAMES
Bucket     2      cooked, raw
Dashboard  101    Ops, and 100 more

STACK OF THE TARGET  NAME        LISTS  UNMANAGED  MANAGED BY
0a1b2c3d4e5f6071     old boards  3      2          boards
0a1b2c3d4e5f6072     -           1      0          -
  next: Take over a stack: gitmoor import --target prod --stack-id 0a1b2c3d4e5f6071 --repo URL
  next: Write a package of what is unmanaged: gitmoor export --target prod --unmanaged -f package.yml
  next: Then take it over: gitmoor import --target prod --name NAME --repo URL
`)
})

test.each([
  [[], 'nothing else exists there'],
  [[{ family: 'Bucket', count: 1, names: ['raw'] }], '1 is unmanaged'],
])('stack discover --target counts what no stack manages: %j', async (families, words) => {
  const listUnmanaged = async (): Promise<UnmanagedView> => ({
    target: 'prod',
    managed: 1,
    families,
    stacks: [],
    warnings: [],
  })
  const { stdout } = await (await openTestShell({ listUnmanaged })).type('stack discover --target prod')
  expect(stdout).toContain(`Stacks manage 1 resource on target prod; ${words}.`)
})

test('names and descriptions of stacks of the target are escaped', async () => {
  const from = { ...sampleImport.from!, name: evil, description: evil }
  const stacks = [{ ...sampleUnmanaged.stacks[0]!, name: evil, description: evil }]
  const shell = await openTestShell({
    importStack: async () => ({ ...sampleImport, from }),
    previewImport: async () => ({ ...sampleImport, from, stack: null, run: null }),
    listUnmanaged: async () => ({ ...sampleUnmanaged, stacks }),
  })
  for (const one of [line, `${line} --dry-run`, 'stack discover --target prod'])
    for (const terminal of [false, true]) {
      const { stdout } = await shell.type(one, { terminal, columns: 300 })
      expect(stdout).toContain(escaped)
      expect(stdout).not.toMatch(/\u001b\[2J|[\u0007\u202e\u2066]/)
    }
  const { stdout } = await shell.type('stack discover --target prod --json')
  expect(stdout).not.toMatch(/[\u001b\u0007\u202e\u2066]/)
  expect(JSON.parse(stdout)).toMatchObject({ stacks: [{ name: evil, description: evil }] })
})

test('a target that keeps no such stack is an error with what to do', async () => {
  const shell = await openTestShell({
    importStack: async () => {
      throw new Refused('not-found', 'Target prod keeps no stacks of its own.', {
        code: 'stacks/foreign-unknown',
        hint: 'To take over what the package declares, leave out the id.',
      })
    },
  })
  const { code, stdout, stderr } = await shell.type(line)
  expect([code, stdout]).toEqual([9, ''])
  expect(stderr).toBe(
    'error: Target prod keeps no stacks of its own.\n  next: To take over what the package declares, leave out the id.\n',
  )
})

// stack discover as it is typed: what is shown, what is made, and who is asked first.
import { expect, test } from 'vitest'
import { sampleDiscovery } from '../../api/sample-views.js'
import { openTestShell } from '../type-command.js'

const line = 'stack discover --repo https://git.example/boards'

test('every package is a line, with what it declares and what becomes of it', async () => {
  const { stdout, code } = await (await openTestShell()).type(line)
  expect(code).toBe(0)
  expect(stdout).toBe(`PATH    DECLARES           STACK
edge    1 Bucket, 2 Label  new: edge
core    1 Bucket, 2 Label  left: boards reads it
team    1 Bucket, 2 Label  left: takes in team/a (list it in .gitmoorignore)
team/a  1 Bucket, 2 Label  new: team-a
broken  1 Bucket, 2 Label  left: 1 error

error: There is no kind "Bukket".
  root[0].kind

Variable "bucket" is declared by edge, team/a, not alike: all stacks but the first are refused.
Label "Red" is declared by edge, core, alike: the first stack owns it, the others share it.
`)
})

test('nothing is made without --create', async () => {
  const desk = await openTestShell()
  await desk.type(`${line} --ref stable --path team --target edge --prefix t-`)
  expect(desk.asked).toEqual([
    {
      verb: 'discover',
      args: [{ url: 'https://git.example/boards', ref: 'stable', path: 'team', target: 'edge', prefix: 't-' }],
    },
  ])
})

test('--create --yes makes a stack for each that is not left', async () => {
  const desk = await openTestShell()
  const { stdout, stderr } = await desk.type(`${line} --create --yes --target edge`)
  const made = desk.asked.filter(({ verb }) => verb === 'create').map(({ args }) => args[0])
  expect(made).toMatchObject([
    {
      name: 'edge',
      target: 'edge',
      sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'HEAD', path: 'edge' }],
    },
    {
      name: 'team-a',
      target: 'edge',
      sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'HEAD', path: 'team/a' }],
    },
  ])
  expect(stderr).toContain('new: edge')
  expect(stdout.split('\n').filter((one) => one.includes('is made for'))).toHaveLength(2)
})

test('--create asks first, and where nobody is there to be asked it makes nothing', async () => {
  const desk = await openTestShell()
  const { code, stderr } = await desk.type(`${line} --create`)
  expect(code).toBe(7)
  expect(stderr).toContain('Make these 2 stacks?')
  expect(desk.asked.map(({ verb }) => verb)).toEqual(['discover'])
})

test('where nothing is left to make, --create asks nothing and says so', async () => {
  const desk = await openTestShell({ discover: async () => ({ ...sampleDiscovery, packages: [], clashes: [] }) })
  const { code, stdout } = await desk.type(`${line} --create`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'No stack is made.\n' })
})

test('--json tells all of it, and what was made', async () => {
  const { stdout, stderr } = await (await openTestShell()).type(`${line} --create --yes --json`)
  expect(JSON.parse(stdout)).toMatchObject({ ...sampleDiscovery, made: [{ path: 'edge' }, { path: 'team/a' }] })
  expect(stderr).toBe('')
})

test('a repository must be named', async () => {
  const { code, stderr } = await (await openTestShell()).type('stack discover')
  expect(code).toBe(3)
  expect(stderr).toContain('--repo URL is needed')
})

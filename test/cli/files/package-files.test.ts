// Every command that takes a directory reads the same files of it, those that a sync of the directory reads.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { label } from '../../influxdb/packages.js'
import { useWorld } from '../../influxdb/world.js'
import { openTestShell, type Typed } from '../type-command.js'

const world = useWorld()
const work = (): string => join(world().root, 'work')
const directory = (): string => join(work(), 'boards')

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(directory(), path)), { recursive: true })
  writeFileSync(join(directory(), path), content)
}

/** A label with a field that no label has: each file that is read has a warning. */
const remarked = (name: string): string => `${label(name)}  extra: 1\n`

beforeEach(async () => {
  await world().push(label('old'))
  await world().create('planned')
  await world().ask.createStack(world().spec('pushed', { sources: [{ kind: 'inline' }], target: 'other' }), 'ann')
})

/** What each command prints about the directory. */
async function typed(): Promise<Readonly<Record<'validate' | 'plan' | 'push', Typed>>> {
  const { getStack, previewPackage, pushPackage } = world().ask
  const shell = await openTestShell({ getStack, previewPackage, pushPackage })
  const type = (line: string): Promise<Typed> => shell.type(line, { cwd: work() })
  return {
    validate: await type('validate boards --json'),
    plan: await type('plan planned --dir boards --json'),
    push: await type('stack push pushed -f boards --no-wait --json'),
  }
}

const typedEach = async (): Promise<readonly { readonly code: number; readonly said: string }[]> =>
  Object.values(await typed()).map(({ code, stdout, stderr }) => ({ code, said: stdout + stderr }))

const declared = async (stack: string): Promise<readonly string[]> =>
  (await world().ask.getStack(stack)).resources.map(({ name }) => name).sort()

describe('validate, plan --dir, stack push and a sync of one directory', () => {
  test('read the same files', async () => {
    write('.gitmoorignore', '# Drafts\n/top.yml\ndrafts/*\n!drafts/kept.yml\n*.json\nlink.yml\n')
    write('a.yml', remarked('alpha'))
    write('top.yml', remarked('top'))
    write('deep/.gitmoorignore', '*\n')
    write('deep/top.yml', remarked('deep-top'))
    write('drafts/x.yml', 'kind: [')
    write('drafts/kept.yml', remarked('kept'))
    write('drafts/binary.yml', Buffer.from([0xff, 0xfe, 0x00, 0x61]))
    write('notes.json', 'not JSON')
    write('logo.png', Buffer.from([0x89, 0x50, 0xff, 0x00]))
    write('.hidden/b.yml', remarked('hidden'))
    mkdirSync(join(work(), 'elsewhere'))
    writeFileSync(join(work(), 'elsewhere', 'c.yml'), remarked('elsewhere'))
    symlinkSync(join(work(), 'elsewhere'), join(directory(), 'linked'))
    symlinkSync(join(work(), 'elsewhere', 'c.yml'), join(directory(), 'link.yml'))

    const { validate, plan, push } = await typed()
    const [checked] = JSON.parse(validate.stdout).packages
    expect(checked).toMatchObject({ valid: true, resources: { Label: 3 } })
    expect(checked.problems.map(({ place }: { place: { file: string } }) => place.file)).toEqual([
      'boards/a.yml',
      'boards/deep/top.yml',
      'boards/drafts/kept.yml',
    ])
    const changes: readonly { readonly action: string; readonly address: string }[] = JSON.parse(plan.stdout).changes
    const created = changes.filter(({ action }) => action === 'create').map(({ address }) => address)
    expect(created.sort()).toEqual(['Label/alpha', 'Label/deep-top', 'Label/kept'])
    expect(await world().ended('pushed', JSON.parse(push.stdout).id)).toMatchObject({ outcome: 'applied' })
    expect(await declared('pushed')).toEqual(['alpha', 'deep-top', 'kept'])
    await world().create('followed', { sources: [{ kind: 'directory', directory: directory() }] })
    expect(await declared('followed')).toEqual(['alpha', 'deep-top', 'kept'])
  })
})

describe('validate, plan --dir and stack push', () => {
  test('refuse a pattern with too many stars', async () => {
    write('a.yml', label('alpha'))
    write('.gitmoorignore', 'b.yml\n*a*a*a*a*b\n')
    for (const { code, said } of await typedEach()) {
      expect(code).toBe(1)
      expect(said).toContain('package/ignore-pattern')
      expect(said).toContain('at line 2 of .gitmoorignore has too many stars.')
    }
  })

  test('refuse a .gitmoorignore that is a link, or too large', async () => {
    write('a.yml', label('alpha'))
    symlinkSync(join(directory(), 'a.yml'), join(directory(), '.gitmoorignore'))
    for (const { code, said } of await typedEach()) {
      expect(code).toBe(3)
      expect(said).toContain('.gitmoorignore is a symbolic link')
    }
    rmSync(join(directory(), '.gitmoorignore'))
    write('.gitmoorignore', '#'.repeat(4 * 1024 * 1024 + 1))
    for (const { code, said } of await typedEach()) {
      expect(code).toBe(3)
      expect(said).toMatch(/Cannot read .*\.gitmoorignore: it is larger than 4 MiB/)
    }
  })

  test('accept a .gitmoorignore in another encoding, as a repository may have it', async () => {
    write('a.yml', label('alpha'))
    write('b.yml', 'kind: [')
    write('.gitmoorignore', Buffer.from('# Entw\u00fcrfe\nb.yml\n', 'latin1'))
    for (const { code, said } of await typedEach()) expect(code, said).toBe(0)
  })
})

import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPackageFiles } from '../../../../src/cli/files/package-files.js'
import { describeWithJsonnet } from '../../../sandbox/with-jsonnet.js'
import { makeDirectory, typeLine } from '../../type-command.js'

const bucket = (name: string, seconds: string): string =>
  `apiVersion: influxdata.com/v2alpha1\nkind: Bucket\nmetadata:\n  name: ${name}\nspec:\n  retentionRules:\n    - type: expire\n      everySeconds: ${seconds}\n`

async function makePackage(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await makeDirectory()
  await mkdir(join(cwd, 'package'))
  for (const [path, text] of Object.entries(files)) await writeFile(join(cwd, 'package', path), text)
  return cwd
}

test('the resources of a valid package are counted', async () => {
  const cwd = await makePackage({ 'a.yml': bucket('raw', '3600'), 'b.yml': bucket('daily', '7200') })
  expect(await typeLine('validate package', { cwd })).toEqual({
    code: 0,
    stdout: 'package: valid: 2 Bucket\n',
    stderr: '',
  })
})

test('every error has its file and line, and the exit code is 1', async () => {
  const cwd = await makePackage({ 'a.yml': bucket('raw', '60'), 'b.yml': bucket('Not_A_Name', '3600') })
  const typed = await typeLine('validate package', { cwd })
  expect(typed.code).toBe(1)
  expect(typed.stdout).toMatch(/package\/a\.yml:\d+: spec\.retentionRules\[0\]\.everySeconds/)
  expect(typed.stdout).toMatch(/package\/b\.yml:\d+: metadata\.name/)
  expect(typed.stdout).toContain('package: 2 errors')
})

test('with --strict, warnings are refused, too', async () => {
  const misspelt = bucket('raw', '3600').replace('retentionRules', 'retentionRule')
  const cwd = await makePackage({ 'a.yml': misspelt, 'b.yml': bucket('daily', '7200') })
  expect(await typeLine('validate package', { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/there is no field "retentionRule"[^]*\npackage: valid: 2 Bucket\n$/) as string,
  })
  const strict = await typeLine('validate --strict package', { cwd })
  expect(strict.code).toBe(1)
  expect(strict.stdout).toMatch(/\npackage: 1 warning, refused by --strict\n$/)
  expect((await typeLine('validate --strict package/b.yml', { cwd })).code).toBe(0)
})

test('--json prints the problems of each package', async () => {
  const cwd = await makePackage({ 'a.yml': bucket('raw', '60') })
  const typed = await typeLine('validate package package/a.yml --json', { cwd })
  const { packages } = JSON.parse(typed.stdout)
  expect(packages).toHaveLength(2)
  expect(packages[1]).toMatchObject({
    path: 'package/a.yml',
    valid: false,
    problems: [{ severity: 'error', place: { file: 'package/a.yml' } }],
  })
})

test('a file that cannot be read is the only error of its package', async () => {
  const cwd = await makePackage({ 'a.yml': 'a: [1' })
  const typed = await typeLine('validate ./package', { cwd })
  expect(typed.stdout).toMatch(/^error: package\/a\.yml:1:4 cannot be read: .*\n {2}next: Add/)
  expect(typed.stdout).toContain('./package: 1 error\n')
})

test('an empty package is not valid', async () => {
  const cwd = await makePackage({})
  expect((await typeLine('validate package', { cwd })).code).toBe(1)
})

test('each of several paths is checked, also after one that cannot be read, which is named in full', async () => {
  const cwd = await makePackage({ 'b.yml': bucket('raw', '3600') })
  await mkdir(join(cwd, 'linked'))
  await symlink(join(cwd, 'package', 'b.yml'), join(cwd, 'linked', 'link.yml'))
  const { code, stdout } = await typeLine('validate nowhere linked package', { cwd })
  expect(code).toBe(3)
  expect(stdout).toMatch(/^error: Cannot read \S+\/nowhere: no such file/)
  expect(stdout).toContain(`error: ${cwd}/linked/link.yml is a symbolic link`)
  expect(stdout).toMatch(/\nnowhere: 1 error\n(.*\n)*linked: 1 error\npackage: valid: 1 Bucket\n$/)
  await writeFile(join(cwd, 'package', 'c.yml'), 'kind: [')
  expect((await typeLine('validate nowhere package', { cwd })).code).toBe(1)
})

test('a missing path is a usage error', async () => {
  const typed = await typeLine('validate nowhere', { cwd: await makeDirectory() })
  expect(typed.code).toBe(3)
  expect(typed.stderr).toContain('no such file or directory')
})

test('files have the order and ids of a source; hidden directories and links that do not match are skipped', async () => {
  const cwd = await makePackage({ 'b.yml': 'hello\n', 'B.yml': '', 'a.txt': '' })
  await mkdir(join(cwd, 'package', '.hidden'))
  await writeFile(join(cwd, 'package', '.hidden', 'c.yml'), '')
  await symlink(join(cwd, 'package', 'b.yml'), join(cwd, 'package', 'link.txt'))
  const files = await readPackageFiles(join(cwd, 'package'))
  expect(files.map((file) => file.path)).toEqual(['B.yml', 'b.yml'])
  expect(files[1]?.id).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
})

test('a symbolic link is reported, unless .gitmoorignore lists it', async () => {
  const cwd = await makePackage({
    'b.yml': 'apiVersion: influxdata.com/v2alpha1\nkind: Label\nmetadata: {name: red}\n',
  })
  await symlink(join(cwd, 'package', 'b.yml'), join(cwd, 'package', 'link.yml'))
  const typed = await typeLine('validate package', { cwd })
  expect(typed).toMatchObject({ code: 3, stderr: expect.stringContaining('link.yml is a symbolic link') as string })
  await writeFile(join(cwd, 'package', '.gitmoorignore'), 'link.yml\n')
  expect(await typeLine('validate package', { cwd })).toMatchObject({ code: 0 })
})

test('a pipe with the name of a package file is reported, unless .gitmoorignore lists it', async () => {
  const cwd = await makePackage({ 'b.yml': bucket('raw', '3600') })
  execFileSync('mkfifo', [join(cwd, 'package', 'pipe.yml')])
  const typed = await typeLine('validate package', { cwd })
  expect(typed).toMatchObject({ code: 3, stderr: expect.stringContaining('pipe.yml is a pipe') as string })
  await writeFile(join(cwd, 'package', '.gitmoorignore'), 'pipe.yml\n')
  expect(await typeLine('validate package', { cwd })).toMatchObject({ code: 0 })
})

describeWithJsonnet('a package in Jsonnet', () => {
  const library =
    "{ bucket(name):: { apiVersion: 'influxdata.com/v2alpha1', kind: 'Bucket', metadata: { name: name } } }"

  test('is evaluated as a directory, and as a single file with its imports', async () => {
    const cwd = await makePackage({
      'a.jsonnet': "local l = import 'l.libsonnet';\n[l.bucket('raw')]",
      'l.libsonnet': library,
      'b.yml': bucket('daily', '7200'),
    })
    expect((await typeLine('validate package', { cwd })).stdout).toBe('package: valid: 2 Bucket\n')
    expect((await typeLine('validate package/a.jsonnet', { cwd })).stdout).toBe('package/a.jsonnet: valid: 1 Bucket\n')
  })

  test('has errors at lines of the Jsonnet file', async () => {
    const cwd = await makePackage({
      'a.jsonnet': "local l = import 'l.libsonnet';\n\nl.bucket()",
      'l.libsonnet': library,
    })
    const typed = await typeLine('validate package/a.jsonnet', { cwd })
    expect(typed.code).toBe(1)
    expect(typed.stdout).toContain('package/a.jsonnet:3')
  })

  test('cannot import a symbolic link', async () => {
    const cwd = await makePackage({ 'a.jsonnet': "importstr 'l.flux'" })
    await symlink('/etc/hostname', join(cwd, 'package', 'l.flux'))
    expect((await typeLine('validate package/a.jsonnet', { cwd })).stderr).toContain('l.flux is a symbolic link')
    expect((await typeLine('validate package', { cwd })).stderr).toContain('l.flux is a symbolic link')
  })
})

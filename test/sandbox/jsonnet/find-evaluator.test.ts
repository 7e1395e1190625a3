import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { evaluatorPackage, installCommand } from '../../../src/sandbox/jsonnet/find-evaluator.js'

test.each([
  ['a clone', '/home/ana/gitmoor/dist/adapters.js', 'npm run jsonnet'],
  ['a clone, from its sources', '/srv/gitmoor/src/sandbox/jsonnet/find-evaluator.ts', 'npm run jsonnet'],
  [
    'a global installation',
    '/usr/local/lib/node_modules/gitmoor/dist/adapters.js',
    'npm install --global --prefix /usr/local @hanazuki/node-jsonnet@2.1.0',
  ],
])('the command that installs the evaluator for %s puts it where gitmoor finds it', (_, program, command) => {
  expect(installCommand(program)).toBe(command)
})

test('the version of the evaluator is locked with its digest, and is the one of the documentation', () => {
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
  const { name, version } = evaluatorPackage
  expect(read('jsonnet/package.json')).toMatchObject({ dependencies: { [name]: version } })
  const { packages } = read('jsonnet/package-lock.json') as { readonly packages: Readonly<Record<string, object>> }
  const locked = Object.entries(packages).filter(([path]) => path !== '')
  expect(locked.filter(([, facts]) => !('integrity' in facts))).toEqual([])
  expect(packages[`node_modules/${name}`]).toMatchObject({ version })
  expect(readFileSync('docs/guides/jsonnet.md', 'utf8')).toContain(`${name}@${version}`)
})

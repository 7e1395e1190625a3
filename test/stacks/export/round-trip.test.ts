// What people wrote, applied, exported, and applied again to the same stack: nothing is written (packages 7.2). The corpus lies beside the project.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPackage } from '../../../src/package/package.js'
import { file } from '../../graph/read-texts.js'
import { never, useWorld } from '../../e2e/world.js'
import { exportOf } from './exporting.js'

const corpus = join(import.meta.dirname, '../../../../shared/corpus')
const isHere = existsSync(join(corpus, 'expect.tsv'))
if (!isHere) console.log('The corpus was not found beside the project: its tests are skipped.')

const world = useWorld()
const paths = isHere ? yamlAndJson() : []

function yamlAndJson(): readonly string[] {
  const [, ...lines] = readFileSync(join(corpus, 'expect.tsv'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => line.split('\t')).flatMap(([path, format]) => (format === 'jsonnet' ? [] : [path!]))
}

async function pushed(path: string, text: string): Promise<string> {
  const { id } = await world().verbs.push('boards', { files: [{ path, text }] }, 'ann', never)
  const { outcome, problems } = await world().ended('boards', id)
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return String(outcome)
}

const textOf = (path: string): string => readFileSync(join(corpus, path), 'utf8')
const kindsIn = (path: string): readonly string[] => readPackage([file(path, textOf(path))]).value.map(({ kind }) => kind)
/** A credential that is written out is exported as the key under which the target keeps it, which is another way to declare it: written once. */
const writtenOut = ['pkger-testdata/notification_endpoint_ref.yml']

describe.skipIf(!isHere)('the corpus', () => {
  test.each(paths)('%s', async (path) => {
    const text = textOf(path)
    await world().verbs.create(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
    expect(await pushed(basename(path), text)).toBe('applied')
    const exported = await exportOf(world(), { stack: 'boards' })
    expect(exported.problems).toEqual([])
    expect(exported.addresses.map((one) => one.slice(0, one.indexOf('/'))).sort()).toEqual([...kindsIn(path)].sort())
    if (writtenOut.includes(path)) expect(await pushed('export.yml', exported.yaml)).toBe('applied')
    world().platform.reset()
    expect(await pushed('again.yml', exported.yaml)).toBe('unchanged')
    expect(world().platform.writes).toEqual([])
    expect((await exportOf(world(), { stack: 'boards' })).yaml).toBe(exported.yaml)
  })
})

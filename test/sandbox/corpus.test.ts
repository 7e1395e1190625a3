// The Jsonnet packages of the corpus. It lies beside the project; a user's checkout has none.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { familyOf } from '../../src/model/address.js'
import { evaluateFiles } from '../../src/package/evaluated-files.js'
import { JsonnetSandbox } from '../../src/sandbox/jsonnet-sandbox.js'
import { sandboxLimits } from '../../src/sandbox/sandbox.js'
import { build, file } from '../graph/read-texts.js'
import { never } from '../source/git-world.js'
import { hasJsonnet } from './with-jsonnet.js'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isHere = existsSync(join(corpus, 'expect.tsv'))
if (!isHere) console.log('The corpus was not found beside the project: its tests are skipped.')

const [head, ...lines] = isHere ? readFileSync(join(corpus, 'expect.tsv'), 'utf8').trimEnd().split('\n') : ['']
const columns = head!.split('\t')
const rows = lines.map((line) => Object.fromEntries(line.split('\t').map((cell, at) => [columns[at]!, cell])))
const jsonnet = rows.filter(({ format }) => format === 'jsonnet')

test.skipIf(!isHere || !hasJsonnet)('the Jsonnet packages of the corpus declare what the reference reads in them', async () => {
  expect(jsonnet.length).toBeGreaterThan(0)
  for (const row of jsonnet) {
    const sandbox = new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 20_000 })
    const files = [file(row['path']!, readFileSync(join(corpus, row['path']!), 'utf8'))]
    const evaluated = await evaluateFiles(files, sandbox, never)
    expect(evaluated.problems).toEqual([])
    const { value, problems } = build(evaluated.value)
    const count = (family: string): string => String(value.resources.filter(({ address }) => familyOf(address) === family).length)
    expect(problems).toEqual([])
    expect([count('Bucket'), count('Label'), count('LabelMapping')]).toEqual([row['buckets'], row['labels'], row['labelMappings']])
  }
})

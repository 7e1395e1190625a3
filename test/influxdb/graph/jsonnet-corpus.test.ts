import { expect, test } from 'vitest'
import { familyOf } from '../../../src/model/address.js'
import { evaluateFiles } from '../../../src/package/evaluated-files.js'
import { JsonnetSandbox } from '../../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import { sandboxLimits } from '../../../src/sandbox/sandbox.js'
import { corpusRows, corpusText, hasCorpus } from '../../corpus.js'
import { build, file } from '../read-texts.js'
import { never } from '../../source/git-world.js'
import { hasJsonnet } from '../../sandbox/with-jsonnet.js'

const jsonnet = corpusRows('jsonnet')

test.skipIf(!hasCorpus || !hasJsonnet)(
  'the Jsonnet packages of the corpus declare what InfluxDB reads in them',
  async () => {
    expect(jsonnet.length).toBeGreaterThan(0)
    for (const row of jsonnet) {
      const sandbox = new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 20_000 })
      const files = [file(row.path, corpusText(row))]
      const evaluated = await evaluateFiles(files, sandbox, never)
      expect(evaluated.problems).toEqual([])
      const { value, problems } = build(evaluated.value)
      const count = (family: string): string =>
        String(value.resources.filter(({ address }) => familyOf(address) === family).length)
      expect(problems).toEqual([])
      expect([count('Bucket'), count('Label'), count('LabelMapping')]).toEqual([
        row['buckets'],
        row['labels'],
        row['labelMappings'],
      ])
    }
  },
)

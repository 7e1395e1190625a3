import { expect, test } from 'vitest'
import { buildYaml, doc } from '../../read-texts.js'

const problemsOf = (spec: object): readonly object[] => buildYaml(doc('Bucket', 'mon', spec)).problems
const every = { type: 'expire', everySeconds: 3600 }

test('each field of a system bucket that has no effect is a warning at its line', () => {
  const problems = problemsOf({ name: '_monitoring', description: 'ours', retentionRules: [every] })
  expect(problems).toMatchObject(
    ['description', 'retentionRules'].map((field) => ({
      severity: 'warning',
      code: 'kinds/no-effect',
      field: `root[0].spec.${field}`,
      message: `Bucket/mon: ${field} has no effect, because no sync changes the system bucket _monitoring.`,
    })),
  )
})

test('the name of a system bucket alone, and the fields of another bucket, are no warning', () => {
  expect(problemsOf({ name: '_tasks' })).toEqual([])
  expect(problemsOf({ name: 'raw', description: 'ours', retentionRules: [every] })).toEqual([])
})

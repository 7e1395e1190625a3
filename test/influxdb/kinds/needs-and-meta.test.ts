import { expect, test } from 'vitest'
import { buildYaml, doc } from '../read-texts.js'

test('`needs` and `meta` are unknown keys of InfluxDB packages', () => {
  const text = doc('Label', 'red', { name: 'Red' }, { needs: ['Label/x'], meta: { timeout: 1 } })
  const { value, problems } = buildYaml(text)
  expect(problems.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    'warning kinds/unknown-field',
    'warning kinds/unknown-field',
  ])
  expect(value.resources.map(({ edges, meta }) => ({ edges, meta }))).toEqual([{ edges: [], meta: {} }])
})

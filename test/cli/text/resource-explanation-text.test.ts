import { expect, test } from 'vitest'
import { resourceExplanationLines } from '../../../src/cli/text/resource-explanation-text.js'
import { plainStyle, type Display } from '../../../src/cli/text/text.js'
import { sampleExplained } from '../../api/sample-views.js'

const pipe: Display = { style: plainStyle, width: undefined, now: 0 }
const adopted = { ...sampleExplained.lastChange!, reason: 'added' as const, adopts: true as const }

test.each([
  [[], 'adopted unchanged'],
  [['description'], 'at description, adopted'],
])('an adoption that changed the fields %j says so', (paths, words) => {
  const item = { ...sampleExplained, adopted: true, protected: false }
  const lastChange = { ...adopted, paths, fields: paths.length }
  const lines = resourceExplanationLines({ items: [{ ...item, lastChange }], next: null }, pipe)
  expect(lines.at(-1)).toMatch(new RegExp(`${words}$`))
})

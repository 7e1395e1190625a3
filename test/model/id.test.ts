import { expect, test } from 'vitest'
import { isOlderId } from '../../src/model/id.js'

test('ids of any length sort by age', () => {
  const ids = ['1', '2', '9', '10', '99', '100', '9007199254740993', '9007199254740994']
  for (const [at, id] of ids.entries())
    expect(ids.map((other) => isOlderId(other, id))).toEqual(ids.map((_, otherAt) => otherAt < at))
})

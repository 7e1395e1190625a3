import { expect, test } from 'vitest'
import { didYouMean } from '../../src/settings/did-you-mean.js'

test.each([
  ['wbe', ['lab', 'web', 'we'], 'web'],
  ['ewb', ['web'], 'web'],
  ['ab', ['ba'], 'ba'],
  ['stabel', ['stable', 'beta'], 'stable'],
  ['Max_Deletes', ['maxDeletes', 'max-delete'], 'maxDeletes'],
  ['monitor', ['monitoring'], undefined],
  ['wbe', ['bew', 'lab'], undefined],
  ['abc', [], undefined],
  ['x'.repeat(101), ['x'.repeat(100)], undefined],
])('%s among %j is probably %s', (word, known, meant) => {
  expect(didYouMean(word, known)).toBe(meant === undefined ? undefined : `Did you mean "${meant}"?`)
})

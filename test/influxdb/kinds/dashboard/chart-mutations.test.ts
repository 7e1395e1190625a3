// Charts as nobody should write them: seeded mutations of charts of every kind.
import { expect, test } from 'vitest'
import { isObject, type Json } from '../../../../src/model/json.js'
import { errorsOf } from '../../../../src/model/problem.js'
import { readPackage } from '../../../../src/package/package.js'
import { attackSeed, attackShare } from '../../../attack/scale.js'
import { claim } from '../../../claim.js'
import { doc, file } from '../../read-texts.js'
import { seeded } from '../../../package/seeded.js'
import { kindNamed } from '../desired-state.js'
import { randomChart, type Dice } from './random-chart.js'

const dashboard = kindNamed('Dashboard')
const odd: readonly Json[] = [
  null,
  0,
  -1,
  7.5,
  'x',
  '',
  '5',
  true,
  [],
  [null],
  [{}],
  ['x', 3],
  [[1]],
  {},
  { name: 1 },
  { __proto__x: 1 },
]

const ofFirstChart = /^root\[0\]\.spec\.charts(\[0\](\.|$)|$)/

function mutated(dice: Dice, value: Json): Json {
  if (dice(10) === 0) return odd[dice(odd.length)]!
  if (Array.isArray(value)) return value.flatMap((one: Json) => (dice(15) === 0 ? [] : [mutated(dice, one)]))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(() => dice(20) > 0)
  return Object.fromEntries(kept.map(([key, one]) => [key, key === 'kind' && dice(10) > 0 ? one : mutated(dice, one)]))
}

const rounds = attackShare(2_000)

test(`${rounds} mutated charts never throw, each error is at its chart, and charts without errors are kept`, () => {
  const seen = { sound: 0, inError: 0 }
  for (let seed = attackSeed(); seed < attackSeed() + rounds; seed++) {
    const dice = seeded(seed)
    const chart = mutated(dice, randomChart(dice))
    const text = doc('Dashboard', 'ops', { charts: [chart, randomChart(dice)] })
    const { value, problems } = dashboard.decode(readPackage([file('a.json', text)]).value[0]!)
    const errors = errorsOf(problems)
    for (const { field, place } of problems) {
      claim(ofFirstChart.test(field ?? ''), () => `seed ${seed}: ${field}`)
      claim(place!.line > 0, () => `seed ${seed}: line ${place!.line}`)
    }
    seen[errors.length === 0 ? 'sound' : 'inError']++
    const state = dashboard.normalise(dashboard.encode(value, () => null))
    const whole = isObject(chart) && errors.length === 0 ? 2 : 1
    const charts = state['charts'] as readonly Json[]
    claim(charts.length === whole, () => `seed ${seed}: ${charts.length} charts, not ${whole}`)
  }
  expect(Math.min(seen.sound, seen.inError)).toBeGreaterThan(rounds * 0.15)
})

// Some thousand packages that nearly are what people wrote: nothing throws, nothing hangs, and whoever wrote them
// learns where they are wrong.
import { describe, expect, test } from 'vitest'
import { Unknown } from '../../src/model/json.js'
import { errorsOf, formatProblem, type Problem } from '../../src/model/problem.js'
import { attackShare } from '../attack/scale.js'
import { hasCorpus } from '../corpus.js'
import { mutatedPackage, mutatedText, type MutatedPackage } from './mutated-packages.js'
import { build, file } from './read-texts.js'

const rounds = attackShare(20_000)

/** Gives the errors of a package, once all that is claimed of it holds. */
function look({ path, text }: MutatedPackage, seed: number): readonly Problem[] {
  const { value, problems } = build([file(path, text)])
  for (const problem of problems) {
    expect(formatProblem(problem), `seed ${seed}`).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2028]/)
    expect(problem.message.length, `seed ${seed} ${problem.code}`).toBeLessThan(2_000)
  }
  for (const { kind, spec } of value.resources) {
    const held = kind.normalise(kind.encode(spec, ({ to }) => new Unknown(to, 'id')))
    expect(JSON.stringify(kind.normalise(held)), `seed ${seed}`).toBe(JSON.stringify(held))
    kind.envReferences?.(spec)
  }
  return errorsOf(problems)
}

describe.skipIf(!hasCorpus)('mutated packages of the corpus', () => {
  test(
    `${rounds} neither throw nor hang, and each error has its field, file and line`,
    { timeout: 60_000 + rounds * 60 },
    () => {
      const seen = { sound: 0, inError: 0 }
      for (let seed = 0; seed < rounds; seed++) {
        const given = mutatedPackage(seed)
        const errors = look(given, seed)
        seen[errors.length === 0 ? 'sound' : 'inError']++
        for (const { field, place, code } of errors) {
          if (code === 'graph/empty') continue
          expect([seed, place?.file], code).toEqual([seed, given.path])
          expect(place!.line, `seed ${seed}`).toBeGreaterThan(0)
          if (code !== 'package/syntax') expect(field, `seed ${seed} ${code}`).toMatch(/^root\[\d+\](?:\.|$)/)
        }
      }
      expect(Math.min(seen.sound, seen.inError)).toBeGreaterThan(rounds / 20)
    },
  )

  test(
    `${rounds / 2} texts with marks of YAML in wrong places neither throw nor hang, and each error has its file and line`,
    { timeout: 60_000 + rounds * 60 },
    () => {
      for (let seed = 0; seed < rounds / 2; seed++) {
        const given = mutatedText(seed)
        for (const { field, place, code } of look(given, seed)) {
          if (code === 'graph/empty') continue
          expect([seed, place?.file], code).toEqual([seed, given.path])
          if (!code.startsWith('package/')) expect(field, `seed ${seed} ${code}`).toMatch(/^root\[\d+\](?:\.|$)/)
        }
      }
    },
  )
})

// Thousands of mutated packages: nothing throws, nothing hangs, and each error has its place.
import { describe, expect, test } from 'vitest'
import { Unknown } from '../../../src/model/json.js'
import { errorsOf, formatProblem, type Problem } from '../../../src/model/problem.js'
import { attackScale, attackShare } from '../../attack/scale.js'
import { claim } from '../../claim.js'
import { hasCorpus } from '../../corpus.js'
import { mutatedPackage, mutatedText, type MutatedPackage } from '../../graph/mutated-packages.js'
import { build, file } from '../read-texts.js'

const rounds = attackShare(20_000)

/** Characters of a package: `npm test` mutates only the smaller half. */
const most = attackScale() < 1 ? 16_000 : Number.POSITIVE_INFINITY

const unprintable = /[\u0000-\u001f\u202a-\u202e\u2028]/
const field = /^root\[\d+\](?:\.|$)/

/** The errors of a package; fails if a problem cannot be printed, or a state changes when it is normalized twice. */
function errorsIn({ path, text }: MutatedPackage, seed: number): readonly Problem[] {
  const { value, problems } = build([file(path, text)])
  for (const problem of problems) {
    claim(!unprintable.test(formatProblem(problem)), () => `seed ${seed}: ${formatProblem(problem)}`)
    claim(problem.message.length < 2_000, () => `seed ${seed} ${problem.code}`)
  }
  for (const { kind, spec } of value.resources) {
    const state = kind.normalise(kind.encode(spec, ({ to }) => new Unknown(to, 'id')))
    const [once, twice] = [JSON.stringify(state), JSON.stringify(kind.normalise(state))]
    claim(once === twice, () => `seed ${seed}: ${once} became ${twice}`)
    kind.inputs?.envReferences(spec)
  }
  return errorsOf(problems)
}

function claimPlace(problem: Problem, path: string, seed: number): void {
  claim(problem.place?.file === path, () => `seed ${seed} ${problem.code}: ${problem.place?.file} is not ${path}`)
}

function claimField(problem: Problem, seed: number): void {
  claim(field.test(problem.field ?? ''), () => `seed ${seed} ${problem.code}: ${problem.field}`)
}

describe.skipIf(!hasCorpus)('mutated packages of the corpus', () => {
  test(
    `${rounds} neither throw nor hang, and each error has its field, file and line`,
    { timeout: 60_000 + rounds * 60 },
    () => {
      const counts = { valid: 0, invalid: 0 }
      for (let seed = 0; seed < rounds; seed++) {
        const given = mutatedPackage(seed, most)
        const errors = errorsIn(given, seed)
        counts[errors.length === 0 ? 'valid' : 'invalid']++
        for (const problem of errors) {
          if (problem.code === 'graph/empty') continue
          claimPlace(problem, given.path, seed)
          claim(problem.place!.line > 0, () => `seed ${seed}: line ${problem.place!.line}`)
          if (problem.code !== 'package/syntax') claimField(problem, seed)
        }
      }
      expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(rounds / 20)
    },
  )

  test(
    `${rounds / 2} texts with marks of YAML in wrong places neither throw nor hang, and each error has its file and line`,
    { timeout: 60_000 + rounds * 60 },
    () => {
      for (let seed = 0; seed < rounds / 2; seed++) {
        const given = mutatedText(seed, most)
        for (const problem of errorsIn(given, seed)) {
          if (problem.code === 'graph/empty') continue
          claimPlace(problem, given.path, seed)
          if (!problem.code.startsWith('package/')) claimField(problem, seed)
        }
      }
    },
  )
})

// Every package of the corpus together with every other: what happens to two packages in one folder. `npm test` takes a
// tenth of the pairs, `npm run test:all` all.
import { beforeAll, describe, expect, test } from 'vitest'
import { buildGraph } from '../../../src/graph/graph.js'
import { explainInfluxdbKind } from '../../../src/influxdb/kinds/kinds.js'
import { errorsOf, inFileOrder, type Problem } from '../../../src/model/problem.js'
import { evaluateFiles } from '../../../src/package/evaluated-files.js'
import { ParsedCache, readPackage, type PackageFile } from '../../../src/package/package.js'
import { JsonnetSandbox } from '../../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import { sandboxLimits } from '../../../src/sandbox/sandbox.js'
import { attackSample, attackScale, attackSeed } from '../../attack/scale.js'
import { claim } from '../../claim.js'
import { corpusRows, corpusText, hasCorpus, type CorpusRow } from '../../corpus.js'
import { seeded } from '../../package/seeded.js'
import { hasJsonnet } from '../../sandbox/with-jsonnet.js'
import { never } from '../../source/git-world.js'
import { file, kindOf } from '../read-texts.js'

type Pair = readonly [PackageFile, PackageFile]

const cache = new ParsedCache(100_000_000)
const fileOf = (row: CorpusRow): PackageFile => file(row.path, corpusText(row))
const files = corpusRows('yaml', 'json').map(fileOf)
const allPairs = files.flatMap((one, at) => files.slice(at + 1).map((other): Pair => [one, other]))
const pairs = attackSample(allPairs, seeded(attackSeed()))

function problemsOf(pair: Pair): readonly Problem[] {
  const documents = readPackage(pair, { cache })
  const graph = buildGraph(documents.value, kindOf, { explainUnknownKind: explainInfluxdbKind })
  return inFileOrder([...documents.problems, ...graph.problems])
}

/** What is wrong with a pair, as one text for each error. */
function errorsIn(pair: Pair): readonly string[] {
  return errorsOf(problemsOf(pair)).map(({ code, field, place, message }) => {
    const about = (): string => `${pair.map(({ path }) => path).join(' and ')}: ${code} ${message}`
    claim(message !== '', about)
    claim(
      pair.some(({ path }) => path === place?.file),
      about,
    )
    claim(place!.line > 0, about)
    return `${code} ${field!.replaceAll(/\d+/g, 'n')}`
  })
}

/** The same two, the other one first by name. */
const renamed = ([one, other]: Pair): Pair => [
  { ...other, path: `1/${other.path}` },
  { ...one, path: `2/${one.path}` },
]

/** Pairs with an error, by code and field. */
const inAllPairs: Readonly<Record<string, number>> = {
  'graph/duplicate root[n].metadata.name': 90,
  'graph/duplicate-name root[n].spec.name': 127,
  'graph/undeclared root[n].associations[n]': 9,
}

function countCodes(refused: readonly (readonly string[])[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const codes of refused) for (const one of new Set(codes)) counts[one] = (counts[one] ?? 0) + 1
  return counts
}

describe.skipIf(!hasCorpus)('two packages of the corpus in one', () => {
  test('are read in the same order, whichever is given first', () => {
    const placesOf = (pair: readonly PackageFile[]): string => {
      const { value, problems } = readPackage(pair, { cache })
      return JSON.stringify([value.map(({ place }) => place), problems])
    }
    const differing = pairs.filter(([one, other]) => placesOf([other, one]) !== placesOf([one, other]))
    expect(differing).toEqual([])
  })

  test('are refused if they use the same name, each error with its file, line and field', () => {
    const errors = pairs.map(errorsIn)
    const refused = errors.filter(({ length }) => length > 0)
    const counts = countCodes(refused)
    expect(Object.keys(inAllPairs)).toEqual(expect.arrayContaining(Object.keys(counts)))
    expect(refused.length).toBeGreaterThan(pairs.length / 50)
    expect(refused.length).toBeLessThan(pairs.length / 5)
    if (attackScale() >= 1) {
      expect([files.length, pairs.length, refused.length]).toEqual([80, 3160, 217])
      expect(counts).toEqual(inAllPairs)
    }
    const differing = pairs.filter((pair, at) => errorsIn(renamed(pair)).length > 0 !== errors[at]!.length > 0)
    expect(differing).toEqual([])
  })
})

describe.skipIf(!hasCorpus || !hasJsonnet)('a Jsonnet package of the corpus', () => {
  let evaluated: readonly PackageFile[]
  beforeAll(async () => {
    const sandbox = new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 20_000 })
    const { value, problems } = await evaluateFiles(corpusRows('jsonnet').map(fileOf), sandbox, never)
    expect(problems).toEqual([])
    evaluated = value
  })

  test('is refused only with packages that declare the same label', () => {
    const mixed = evaluated.flatMap((one) => files.map((other): Pair => [one, other]))
    const refused = mixed.filter((pair) => errorsIn(pair).length > 0).map(([, { path }]) => path)
    const names = ['bucket_associates_label', 'dashboard_associates_label', 'label', 'tasks']
    const expected = names.flatMap((name) => [`pkger-testdata/${name}.json`, `pkger-testdata/${name}.yml`])
    expect([mixed.length, refused]).toEqual([80, expected])
  })
})

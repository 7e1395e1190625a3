// npm run mutate -- --room NAME --seed N --sample N --line FILE:LINE: breaks the code in small ways, and prints which
// breaks no test notices.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { eachInTurn } from '../crash/each-in-turn.js'
import { findMutants } from './find-mutants.js'
import { describeMutant, type Mutant } from './mutant.js'
import { sourcesOf, testFolders, testsOf, type RoomName } from './rooms.js'
import { sample } from './sample.js'
import { Trial, type Verdict } from './trial.js'
import { TypeCheck } from './type-check.js'

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: ['plan', 'engine'] },
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '200' },
    line: { type: 'string', multiple: true, default: [] },
    'at-once': { type: 'string', default: '1' },
  },
})

const entry = join(import.meta.dirname, 'child.mjs')
const columns = (...cells: readonly (string | number)[]): void =>
  console.log(cells.map((cell) => String(cell).padStart(10)).join(''))
const unknown = values.room.filter((room) => !(room in testFolders))
if (unknown.length > 0)
  throw new Error(`No mutants are made of ${unknown.join(', ')}. Rooms: ${Object.keys(testFolders).join(', ')}.`)

const types = new TypeCheck(join(import.meta.dirname, 'types'))
for (const room of values.room as RoomName[]) await tryRoom(room)

async function tryRoom(room: RoomName): Promise<void> {
  const began = Date.now()
  const all = sourcesOf(room).flatMap((file) => findMutants(file, readFileSync(file, 'utf8')))
  const named = all.filter(({ file, line }) => values.line.length === 0 || values.line.includes(`${file}:${line}`))
  const tried = await tryAll(room, sample(named, Number(values.sample), Number(values.seed)))
  const count = (kind: Verdict['kind']): number => tried.filter((verdict) => verdict.kind === kind).length
  const caught = tried.length - count('survived')
  const percent = tried.length === 0 ? '–' : ((caught / tried.length) * 100).toFixed(1)
  const seconds = Math.round((Date.now() - began) / 1000)
  columns('room', 'mutants', 'tried', 'killed', 'timed out', 'refused', 'survived', 'caught %', 'seconds')
  const counts = (['killed', 'timed out', 'refused', 'survived'] as const).map(count)
  columns(room, all.length, tried.length, ...counts, percent, seconds)
}

/**
 * Prints mutants that survive. Each worker has a process of its own. The time limit is a multiple of the time that the
 * tests take without a mutant.
 */
async function tryAll(room: RoomName, mutants: readonly Mutant[]): Promise<readonly Verdict[]> {
  const limitMs = await timeOfTests(room)
  const trials = Array.from(
    { length: Number(values['at-once']) },
    () => new Trial({ entry, tests: testsOf(room), limitMs }),
  )
  const verdicts: Verdict[] = []
  try {
    await eachInTurn(mutants, trials.length, async (mutant) => {
      const trial = trials.shift()!
      const result = await trial.try(mutant)
      const verdict: Verdict = result.kind === 'survived' && types.refuses(mutant) ? { kind: 'refused' } : result
      if (verdict.kind === 'survived') console.log(describeMutant(mutant))
      verdicts.push(verdict)
      trials.push(trial)
    })
  } finally {
    for (const trial of trials) trial[Symbol.dispose]()
  }
  return verdicts
}

async function timeOfTests(room: RoomName): Promise<number> {
  const began = Date.now()
  using trial = new Trial({ entry, tests: testsOf(room), limitMs: 120_000 })
  const verdict = await trial.try(undefined)
  if (verdict.kind !== 'survived')
    throw new Error(`The tests of ${room} fail as the code is: ${JSON.stringify(verdict)}.`)
  return 5_000 + 5 * (Date.now() - began)
}

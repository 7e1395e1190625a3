// `npm run test:all`: everything, for a release and for a change of what these guard. The tests come first, then two
// lanes side by side: one core each is enough for most parts. What a part prints is in `.reports/all`. Goes on after a
// failure; ends with 1 where one failed.
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const attack = (...filters) => [process.execPath, 'scripts/attack.mjs', '--scale', '1', ...filters]
const npm = (...words) => ['npm', 'run', '--silent', ...words]
const first = { jsonnet: npm('jsonnet'), tests: npm('test') }
/** Parts that share `dist` or the cache of compiled tests are in one lane. */
const lanes = [
  {
    package: npm('try:package'),
    page: npm('page:check'),
    attack: attack('test/attack/'),
    'random sequences': attack('test/random/', 'test/influxdb/random/'),
    'scaled suites': attack(
      'test/bench/bench',
      'test/api/hostile/requests',
      'test/source/cut-and-hung',
      'test/source/git/refs/',
      'test/agent/watch/canaries',
      'test/engine/partial',
      'test/notifications/notifications',
    ),
    corpus: attack(
      'test/influxdb/graph/corpus',
      'test/e2e/templates-corpus',
      'test/e2e/templates-failures',
      'test/e2e/templates-mutations',
      'test/influxdb/kinds/round-trip',
      'test/influxdb/kinds/dashboard/chart',
      'test/package/print-package',
    ),
    'packages on influxdb': npm('test:influxdb'),
    kills: attack('test/store/killed'),
    limits: npm('limits'),
    coverage: npm('coverage'),
    'without influxdb': npm('test:without-influxdb'),
    mutation: npm('mutate'),
  },
  {
    crash: npm('crash'),
    'crash on influxdb': npm('crash', '--', '--influxdb'),
    soak: npm('soak', '--', '--sequences', '5000'),
    'soak on influxdb': npm('soak:influxdb', '--', '--sequences', '1000'),
  },
]
/** Lines of a failed part that are shown. */
const shown = 40

const directory = '.reports/all'
mkdirSync(directory, { recursive: true })
const begun = Date.now()
const ended = await runLane(first)
ended.push(...(await Promise.all(lanes.map(runLane))).flat())
const failed = ended.filter(({ code }) => code !== 0)
console.log(`\n${ended.length - failed.length} parts passed, ${failed.length} failed, in ${minutesSince(begun)} min.`)
process.exitCode = failed.length === 0 ? 0 : 1

async function runLane(parts) {
  const ended = []
  for (const [name, command] of Object.entries(parts)) ended.push(await runPart(name, command))
  return ended
}

async function runPart(name, [program, ...words]) {
  const began = Date.now()
  const log = join(directory, `${name.replaceAll(' ', '-')}.log`)
  const output = openSync(log, 'w')
  const child = spawn(program, words, { stdio: ['ignore', output, output] })
  closeSync(output)
  const code = await new Promise((resolve) => child.on('error', resolve).on('exit', (code) => resolve(code ?? 1)))
  console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${name.padEnd(20)}  ${minutesSince(began).padStart(5)} min  ${log}`)
  if (code !== 0) console.log(readFileSync(log, 'utf8').split('\n').slice(-shown).join('\n'))
  return { name, code }
}

function minutesSince(began) {
  return ((Date.now() - began) / 60_000).toFixed(1)
}

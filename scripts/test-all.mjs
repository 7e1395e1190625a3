// `npm run test:all`: everything, one after the other, for a release and for a change of what these guard. Takes hours;
// goes on after a failure. It ends with 1 where one failed; the last lines say which.
import { spawnSync } from 'node:child_process'

const attack = (...filters) => [process.execPath, 'scripts/attack.mjs', '--scale', '1', ...filters]
const npm = (...words) => ['npm', 'run', '--silent', ...words]
const parts = {
  jsonnet: npm('jsonnet'),
  tests: npm('test'),
  'without influxdb': npm('test:without-influxdb'),
  package: npm('try:package'),
  attack: attack('test/attack/'),
  'random sequences': attack('test/random/', 'test/influxdb/random/'),
  'scaled suites': attack(
    'test/bench/bench',
    'test/api/hostile/requests',
    'test/source/cut-and-hung',
    'test/source/git/refs/',
    'test/agent/watch/canaries',
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
  crash: npm('crash'),
  'crash on influxdb': npm('crash', '--', '--influxdb'),
  kills: attack('test/store/killed'),
  soak: npm('soak', '--', '--sequences', '5000'),
  'soak on influxdb': npm('soak:influxdb', '--', '--sequences', '1000'),
  limits: npm('limits'),
  coverage: npm('coverage'),
  mutation: npm('mutate'),
}

const ended = []
for (const [name, [program, ...words]] of Object.entries(parts)) {
  const began = Date.now()
  console.log(`\n${name}: ${[program, ...words].join(' ')}`)
  const { status } = spawnSync(program, words, { stdio: 'inherit' })
  ended.push({ name, status, minutes: ((Date.now() - began) / 60_000).toFixed(1) })
}
console.log()
for (const { name, status, minutes } of ended)
  console.log(`${status === 0 ? 'ok    ' : 'failed'}  ${name.padEnd(16)}  ${minutes} min`)
process.exitCode = ended.every(({ status }) => status === 0) ? 0 : 1

// `npm run coverage`: runs the tests that stay in one process, and prints how much of five rooms they reach. Ends with
// 1 below a floor.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { relative, sep } from 'node:path'

/** Just below what is reached, in percent. */
const floors = {
  plan: { lines: 99, branches: 98 },
  engine: { lines: 99, branches: 97 },
  graph: { lines: 99, branches: 98 },
  source: { lines: 98, branches: 92 },
  store: { lines: 94, branches: 90 },
}
/** Tests that start other processes are not counted: what runs there is not seen. */
const tests = 'model package graph plan platform engine source store stacks agent influxdb'.split(' ')
const directory = '.reports/coverage'

rmSync(directory, { recursive: true, force: true })
const options = {
  provider: 'v8',
  include: `src/{${Object.keys(floors).join(',')}}/**/*.ts`,
  reporter: ['json-summary', 'html'],
  reportsDirectory: directory,
}
const given = Object.entries(options).flatMap(([name, values]) =>
  [values].flat().map((value) => `--coverage.${name}=${value}`),
)
const folders = tests.map((name) => `test/${name}/`)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...folders, '--coverage.enabled', ...given]
const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit' })
const low = status === 0 ? printTable(JSON.parse(readFileSync(`${directory}/coverage-summary.json`, 'utf8'))) : []
for (const one of low) console.error(`${one} is below its floor. ${directory}/index.html shows what no test reaches.`)
process.exitCode = status === 0 && low.length === 0 ? 0 : 1

/** Gives what is below its floor. */
function printTable({ total: _total, ...files }) {
  const low = []
  printRow('room', 'lines', '%', 'branches', '%')
  for (const [room, floor] of Object.entries(floors)) {
    const [lines, branches] = ['lines', 'branches'].map((what) => {
      const found = sumOf(files, room, what)
      if (found.percent < floor[what]) low.push(`${room}: ${what}, ${found.percent.toFixed(1)} %,`)
      return [`${found.covered}/${found.total}`, found.percent.toFixed(1)]
    })
    printRow(room, ...lines, ...branches)
  }
  return low
}

function sumOf(files, room, what) {
  const inside = Object.entries(files).filter(([file]) => relative('src', file).startsWith(room + sep))
  const covered = inside.reduce((sum, [, figures]) => sum + figures[what].covered, 0)
  const total = inside.reduce((sum, [, figures]) => sum + figures[what].total, 0)
  return { covered, total, percent: total === 0 ? 0 : (covered / total) * 100 }
}

function printRow(...cells) {
  console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(8) : cell.padStart(11))).join(''))
}

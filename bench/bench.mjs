// npm run bench: what the agent costs, each figure beside something of the same run. Real git, real files, loopback
// only; about 25 minutes. node bench/bench.mjs [NAME…] [--json] [--small] [--dist DIRECTORY] [--tmp DIRECTORY] Rows are
// printed as they are measured. One that fails says so, and the exit code is 1. `--small`: seconds each, to see that
// all of them work.
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from './machine.mjs'
import { table } from './table.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** What is measured, each in a process of its own: `<name>.mjs`, which exports `measure` and its `scales`. */
const names = JSON.parse(readFileSync(join(here, 'names.json'), 'utf8'))

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    dist: { type: 'string', default: join(dirname(here), 'dist') },
    tmp: { type: 'string', default: tmpdir() },
  },
})
const unknown = positionals.find((name) => !names.includes(name))
if (unknown !== undefined) {
  console.error(`There is no bench named ${unknown}. There are: ${names.join(', ')}.`)
  process.exit(3)
}

const rows = []
const failures = []
for (const name of positionals.length === 0 ? names : positionals) await measureAndPrint(name)
if (options.json) console.log(JSON.stringify({ machine: machine(), rows, failures }, null, 2))
else console.log(Object.values(machine()).join(', '))
if (failures.length > 0) process.exitCode = 1

async function measureAndPrint(name) {
  console.error(`${name} …`)
  try {
    const measured = (await measure(name)).map((row) => ({ bench: name, ...row }))
    rows.push(...measured)
    if (!options.json && measured.length > 0) console.log(`${table(measured)}\n`)
  } catch (error) {
    failures.push({ bench: name, message: error.message })
    console.error(`${name} failed: ${error.message}\n`)
  }
}

/** Runs one in a temporary directory, which is removed afterwards, also after a failure. */
async function measure(name) {
  const directory = mkdtempSync(join(resolve(options.tmp), 'gitmoor-bench-'))
  const words = [name, options.small ? 'small' : 'full', resolve(options.dist), directory]
  const child = fork(join(here, 'measure.mjs'), words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const onSignal = (signal) => child.kill(signal)
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    return await new Promise((found, failed) => {
      let measured
      child.on('message', (message) => (measured = message))
      child.on('error', failed)
      child.on('exit', (code, signal) =>
        measured && code === 0 ? found(measured) : failed(new Error(`it ended with ${signal ?? code}`)),
      )
    })
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    rmSync(directory, { recursive: true, force: true })
  }
}

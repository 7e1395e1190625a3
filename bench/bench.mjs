// npm run bench: what the agent costs, each figure beside something of the same run. Real git, real files, loopback only; about eighteen minutes.
// node bench/bench.mjs [NAME…] [--json] [--dist DIRECTORY] [--tmp DIRECTORY]
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from './machine.mjs'
import { table } from './table.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** What is measured, each in a process of its own: `<name>.mjs`. */
const names = [
  'poll',
  'polls',
  'many-commits',
  'push-to-sync',
  'webhook',
  'many-stacks',
  'large-plan',
  'throughput',
  'templates',
  'page',
  'idle',
  'restart',
  'pack-memory',
]

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
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
for (const name of positionals.length === 0 ? names : positionals) rows.push(...(await measure(name)))
if (options.json) console.log(JSON.stringify({ machine: machine(), rows }, null, 2))
else console.log(`${table(rows)}\n\n${Object.values(machine()).join(', ')}`)

/** Runs one in a temporary directory, which is gone afterwards, also where it failed. */
async function measure(name) {
  if (!options.json) console.error(`${name} …`)
  const directory = mkdtempSync(join(resolve(options.tmp), 'gitmoor-bench-'))
  const child = fork(join(here, 'measure.mjs'), [name, resolve(options.dist), directory], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const onSignal = (signal) => child.kill(signal)
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    return await new Promise((found, failed) => {
      let measured
      child.on('message', (message) => (measured = message))
      child.on('error', failed)
      child.on('exit', (code, signal) =>
        measured && code === 0 ? found(measured) : failed(new Error(`${name} ended with ${signal ?? code}`)),
      )
    })
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    rmSync(directory, { recursive: true, force: true })
  }
}

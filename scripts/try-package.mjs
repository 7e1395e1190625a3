// `npm run try:package`: packs gitmoor, installs the tarball globally below a clean directory as a user would, and
// syncs the demo with it. Needs the package registry. Prints sizes and times; ends with 1 on a failure.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeDemo } from './make-demo.mjs'

const directory = mkdtempSync(join(tmpdir(), 'gitmoor-package-'))
const prefix = join(directory, 'prefix')
const gitmoor = join(prefix, 'bin', 'gitmoor')
const home = join(prefix, 'lib', 'node_modules', 'gitmoor')
const data = join(directory, 'data')

try {
  const [{ filename, size, entryCount, unpackedSize }] = JSON.parse(
    timed('npm pack', 'npm', ['pack', '--json', '--pack-destination', directory]),
  )
  console.log(`${filename}: ${kilobytes(size)}, ${entryCount} files, ${kilobytes(unpackedSize)} unpacked`)
  timed('npm install', 'npm', ['install', '--global', '--prefix', prefix, join(directory, filename)])
  console.log(`installed: ${execFileSync('du', ['-sk', prefix], { encoding: 'utf8' }).split('\t')[0]} KiB`)
  for (const file of ['config/gitmoor.service', 'config/gitmoor.yaml', 'completions/_gitmoor'])
    if (!existsSync(join(home, file))) throw new Error(`${file} is not in the package.`)
  console.log(`version: ${timed('--version', gitmoor, ['--version']).trim()}`)
  await syncDemo()
} catch (error) {
  console.error(error.stderr?.toString() || error.message)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function timed(name, program, words) {
  const began = performance.now()
  const output = execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return output
}

function kilobytes(bytes) {
  return `${Math.round(bytes / 1024)} KiB`
}

async function syncDemo() {
  makeDemo(join(directory, 'demo'))
  const stack = `{ name: demo, sources: [{ url: ./demo, ref: stable, path: monitoring }] }`
  writeFileSync(join(directory, 'gitmoor.yaml'), `allow: { directories: [./demo] }\nstacks: [${stack}]\n`)
  const words = ['agent', '--config', 'gitmoor.yaml', '--data', data, '--listen', '127.0.0.1:0']
  const agent = spawn(gitmoor, words, { cwd: directory, stdio: 'ignore' })
  try {
    while (!existsSync(join(data, 'agent.json'))) {
      if (agent.exitCode !== null) throw new Error(`The installed agent ended with ${agent.exitCode}.`)
      await pause(50)
    }
    timed('gitmoor wait demo', gitmoor, ['wait', 'demo', '--data', data])
  } finally {
    agent.kill()
  }
}

// The command line typed in this process, which costs no process: the same code, over HTTP, as the program runs.
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { runCli } from '../../src/cli/cli.js'
import type { Ended, Surroundings } from './processes.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/** Verbs that become the agent, restore a backup or check without an agent need the program itself: `Processes.run`. */
export async function typeHere(args: readonly string[], { cwd, env = {} }: Surroundings): Promise<Ended> {
  const [stdout, stderr] = [collect(), collect()]
  const code = await runCli(args, {
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: new PassThrough().end(),
    environment: { PATH: process.env['PATH'], HOME: cwd, ...env },
    cwd,
    version,
    startAgent: needsProgram,
    restore: needsProgram,
    checkOffline: needsProgram,
    platforms: async () => (await import('../../src/platforms.js')).platforms,
    interrupts: new EventEmitter(),
  })
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
}

function needsProgram(): Promise<never> {
  return Promise.reject(new Error('This verb needs the program itself.'))
}

function collect(): { readonly stream: PassThrough; readonly text: () => string } {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

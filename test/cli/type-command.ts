// Types a command line as a person would: against a real server that answers with sample views.
import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { serveApi } from '../../src/api/server/server.js'
import { runCli, type CliOptions } from '../../src/cli/cli.js'
import type { Ask } from '../ask.js'
import { sampleToken } from '../api/request-api.js'
import { sampleAnswers, type UseCaseCall } from '../api/sample-answers.js'
import { sharedFetch } from '../shared-api.js'

export interface Typed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * `columns`: the width of the terminal, default 100; null: a pipe. `onStderr` is called with what was printed so far.
 */
export type TypeOptions = Partial<CliOptions> & {
  readonly terminal?: boolean
  readonly columns?: number | null
  readonly onStderr?: (printed: string) => void
}

export interface TestShell {
  /** Types the words of a line; words with blanks are given as a list. */
  type(line: string | readonly string[], options?: TypeOptions): Promise<Typed>
  readonly calls: UseCaseCall[]
  readonly directory: string
  readonly url: string
  readonly interrupts: EventEmitter
}

/** A working directory with `.gitmoor/agent.json` of an agent that runs. */
export async function openTestShell(changed: Partial<Ask> = {}): Promise<TestShell> {
  const { call, calls } = sampleAnswers(changed)
  const served = await serveApi({ fetch: sharedFetch(call) }, { host: '127.0.0.1', port: 0, graceMs: 100 })
  onTestFinished(() => served.close())
  const directory = await makeDirectory()
  await writeFile(
    join(directory, 'agent.json'),
    JSON.stringify({ url: served.url, token: sampleToken, pid: process.pid, version: '0' }),
  )
  const interrupts = new EventEmitter()
  return {
    calls,
    directory,
    url: served.url,
    interrupts,
    type: (line, options) =>
      typeLine(line, { environment: { GITMOOR_DATA: directory }, cwd: directory, interrupts, ...options }),
  }
}

export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gitmoor-cli-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export async function typeLine(
  line: string | readonly string[],
  { terminal = false, columns = 100, onStderr, ...options }: TypeOptions,
): Promise<Typed> {
  const stdout = collect(terminal, columns)
  const stderr = collect(terminal, columns)
  stderr.stream.on('data', () => onStderr?.(stderr.text()))
  const stdin: Readable & { isTTY?: boolean } = Object.assign(new PassThrough(), { isTTY: terminal })
  const code = await runCli(typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line, {
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin,
    environment: {},
    cwd: tmpdir(),
    version: '1.2.3',
    startAgent: () => Promise.resolve(0),
    restore: () => Promise.reject(new Error('nothing is restored here')),
    checkOffline: () => Promise.resolve([]),
    platforms: async () => (await import('../../src/platforms.js')).platforms,
    interrupts: new EventEmitter(),
    now: () => Date.parse('2026-11-21T04:03:00Z'),
    ...options,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collect(
  isTTY: boolean,
  columns: number | null,
): {
  readonly stream: PassThrough & { isTTY: boolean; columns?: number }
  readonly text: () => string
} {
  const stream = Object.assign(new PassThrough(), columns === null ? { isTTY } : { isTTY, columns })
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

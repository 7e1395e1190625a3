#!/usr/bin/env node
// The entry point. Modules that only the agent needs are loaded only if the command line runs the agent.
import { readFileSync } from 'node:fs'
import type { AgentOptions, OfflineOptions, RestoreOptions } from './cli/invocation.js'
import { runCli } from './cli/cli.js'
import { dataDirectory, environmentVariables } from './config/environment.js'
import type { Check } from './model/agent/check.js'
import type { Restored } from './store/copies.js'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  environment: environmentVariables(),
  cwd: process.cwd(),
  version,
  startAgent,
  restore,
  checkOffline: offline,
  platforms: async () => (await import('./platforms.js')).platforms,
})
// A failed write of the answer has set it already.
if (code !== 0) process.exitCode = code

/** Creates a data directory from a backup, under its lock. */
async function restore({ data, ...backup }: RestoreOptions): Promise<Restored> {
  const [{ adapters }, { lockAlone, openDataDirectory, removeCreated }] = await Promise.all([
    import('./adapters.js'),
    import('./agent/upkeep/data-directory.js'),
  ])
  const directory = dataDirectory(data)
  const created = openDataDirectory(directory)
  using _lock = lockAlone(directory, adapters.lock)
  try {
    return adapters.restore({ ...backup, directory }, Date.now())
  } catch (error) {
    removeCreated(created)
    throw error
  }
}

/** Runs the agent until SIGTERM or SIGINT; a second signal ends it at once. */
async function startAgent(options: AgentOptions): Promise<number> {
  const [{ runAgent }, { adapters }] = await Promise.all([import('./run-agent.js'), import('./adapters.js')])
  return runAgent(options, { version, adapters })
}

async function offline(options: OfflineOptions): Promise<readonly Check[]> {
  const [{ checkOffline }, { adapters }] = await Promise.all([import('./offline-doctor.js'), import('./adapters.js')])
  return checkOffline(options, adapters)
}

#!/usr/bin/env node
// Where everything is put together. Adapters are named here and nowhere else; they are loaded only where the command line becomes the agent.
import { readFileSync } from 'node:fs'
import type { AgentOptions } from './cli/invocation.js'
import { runCli } from './cli/cli.js'
import { environmentVariables } from './config.js'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  environment: environmentVariables(),
  cwd: process.cwd(),
  version,
  startAgent,
})
// An answer that could not be written has set it already.
if (code !== 0) process.exitCode = code

/** Runs the agent until SIGTERM or SIGINT; a second one ends it at once. */
async function startAgent(options: AgentOptions): Promise<number> {
  const { runAgent } = await import('./run-agent.js')
  const [{ SqliteStore }, { lockDirectory }, { GitSource }, { EmbeddedPlatform }] = await Promise.all([
    import('./store/sqlite/sqlite-store.js'),
    import('./store/sqlite/sqlite-file.js'),
    import('./source/git-source.js'),
    import('./platform/embedded/embedded-platform.js'),
  ])
  return runAgent(options, {
    version,
    lock: lockDirectory,
    openStore: (file, clock) => new SqliteStore(file, clock),
    openSource: (sourceOptions) => new GitSource(sourceOptions),
    openPlatforms: (documents, known) => [new EmbeddedPlatform(documents, known)],
  })
}

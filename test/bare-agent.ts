// The rest of an agent for worlds that watch only a part of it, for `openAgent`.
import type { Adapters } from '../src/agent-adapters.js'
import { adapters } from '../src/adapters.js'
import { noMeters } from '../src/agent/watch/meters.js'
import { readConfiguration, type Configuration } from '../src/config/config.js'
import type { AgentSurroundings } from '../src/open-agent.js'
import { Redactor } from '../src/secrets/redact/redact.js'
import { plain, type PlatformUnderTest } from './plain/under-test.js'

/** Those of this platform alone, without metrics and routes. */
export function bareAdapters(on: PlatformUnderTest): Adapters {
  return {
    ...adapters,
    apiExtensions: [],
    platforms: [on.description],
    openPlatforms: (documents, secrets) => [on.open(documents, secrets)],
    openMeters: () => ({ ...noMeters, type: 'text/plain', print: async () => '' }),
  }
}

const defaults = new Map<PlatformUnderTest['description'], Configuration>()

/** The defaults with this platform, read once. */
export function defaultConfiguration({ description }: PlatformUnderTest): Configuration {
  const known = defaults.get(description)
  if (known !== undefined) return known
  const read = readConfiguration(undefined, { platforms: [description] }).value!
  defaults.set(description, read)
  return read
}

/** The defaults, without automatic copies of the database. */
export function bareConfiguration(data: string, on = plain): Configuration {
  return { ...defaultConfiguration(on), data, copies: { everyMs: 0, kept: 0 } }
}

/** An empty environment. */
export function bareSurroundings(): Omit<AgentSurroundings, 'log' | 'clock' | 'random'> {
  return {
    version: '0.0.0',
    redactor: new Redactor(),
    lookup: { directory: '/', environment: () => undefined },
  }
}

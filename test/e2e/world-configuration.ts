import { join } from 'node:path'
import type { Configuration } from '../../src/config/config.js'
import { defaultConfiguration } from '../bare-agent.js'
import type { Documents } from '../../src/platform/documents.js'
import type { Platform } from '../../src/platform/platform.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import type { ChannelPolicy } from '../../src/channel/channel-policy.js'
import type { GitSourceOptions } from '../../src/source/git/git-source.js'
import type { Webhook } from '../../src/webhooks/webhook.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { LIMITS } from '../source/git-world.js'
import { REMOTE_LIMITS } from '../source/remotes.js'

export interface WorldOptions {
  readonly source?: Partial<GitSourceOptions>
  readonly runMs?: number
  /** Polls a second at one host. Default: more than any test makes. */
  readonly pollsPerHost?: number
  /** Where the target keeps its resources. Default: in the database. */
  readonly documents?: Documents
  readonly sandbox?: Sandbox
  readonly webhooks?: readonly Webhook[]
  /** `channels` of the configuration file. */
  readonly channels?: readonly ChannelPolicy[]
  /** Those of `local` and `other` that are declared. Default: both. */
  readonly targets?: readonly string[]
  /** `allow.secrets`. Default: none. */
  readonly secrets?: Configuration['allow']['secrets']
  /** Whether the agent is given its configuration file. Default: yes. */
  readonly file?: boolean
  /** The file of the last agent that had one. */
  readonly formerFile?: string
  /** Beside the one of the world. */
  readonly platforms?: readonly Platform[]
  /** Further settings. */
  readonly changed?: Partial<Configuration>
}

/** Of every world. Calls and evaluations have time also where many tests run at once. */
const worldLimits = {
  driverCallMs: 30_000,
  documents: 1_000,
  totalBytes: 10_000_000,
  evaluationMs: 20_000,
  concurrency: 4,
  runsKept: 100,
  revisionsKept: 20,
}

/** The configuration of an agent whose data directory is `root`. */
export function worldConfiguration(
  { root, on }: { readonly root: string; readonly on: PlatformUnderTest },
  { runMs = 60_000, pollsPerHost = 1_000, webhooks = [], channels = [], ...given }: WorldOptions,
): Configuration {
  const defaults = defaultConfiguration(on)
  const platform = on.description.name
  const all = { local: on.settings('main'), other: on.settings('other') }
  const targets = Object.entries(all)
    .filter(([name]) => given.targets?.includes(name) ?? true)
    .map(([name, settings]) => [name, { platform, settings }])
  return {
    ...defaults,
    ...(given.file === false ? {} : { file: join(root, 'gitmoor.yaml') }),
    data: root,
    limits: { ...defaults.limits, ...LIMITS, ...REMOTE_LIMITS, ...worldLimits, runMs, pollsPerHost },
    copies: { everyMs: 0, kept: 0 },
    allow: {
      directories: [{ path: join(root, 'work') }],
      secrets: given.secrets ?? { environment: [], files: [] },
      networks: ['127.0.0.0/8'],
    },
    targets: Object.fromEntries(targets),
    webhooks,
    channels,
    ...given.changed,
  }
}

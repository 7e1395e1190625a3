// The adapters that an agent needs. adapters.ts provides them; open-agent.ts uses them.
import type { Meters, MetricsPage } from './agent/watch/meters.js'
import type { ApiExtension } from './api/api-extension.js'
import type { Clock } from './lib/clock.js'
import type { Locks } from './lib/async/locks.js'
import type { SshLogin } from './lib/text/ssh-address.js'
import type { Sealed } from './model/json.js'
import type { EventFamilies } from './model/stacks/run.js'
import type { Documents } from './platform/documents.js'
import type { PlatformMeans } from './platform/platform-means.js'
import type { Platform, PlatformDescription } from './platform/platform.js'
import type { SigningKeys } from './secrets/signing-keys.js'
import type { HttpAccess } from './source/network/authorized-request.js'
import type { HttpClient, HttpClientOptions } from './source/network/http-client.js'
import type { PushedPackages } from './source/pushed-packages.js'
import type { Sandbox, SandboxLimits } from './sandbox/sandbox.js'
import type { AllowedDirectory } from './source/allowed-directory.js'
import type { RemoteLimits, RemotePackages } from './source/remote-packages.js'
import type { Source, SourceLimits } from './source/source.js'
import type { RefTips } from './source/ref-tips.js'
import type { Restore, Restored } from './store/copies.js'
import type { DatabaseEvent } from './store/database-event-table.js'
import type { Store } from './store/store.js'

/** Platforms that belong together: it opens them, and it adds routes to the API. */
export interface PlatformRoom {
  readonly api: ApiExtension
  readonly open: (documents: Documents, means: PlatformMeans) => readonly Platform[]
}

/** Provided by adapters.ts. */
export interface Adapters {
  /** Locks the data directory. */
  readonly lock: (directory: string) => Disposable
  /** `startEvents`: repairs and upgrades at opening; `onDamage`: the file is corrupt; `isOurs`: the key opens it. */
  readonly openStore: (
    file: string,
    clock: Clock,
    options: {
      readonly onDamage: (error: Error) => void
      readonly isOurs: (sealed: Sealed) => boolean
      readonly eventFamilies: ReadonlyMap<string, EventFamilies>
    },
  ) => Store & Disposable & { readonly documents: Documents; readonly startEvents: readonly DatabaseEvent[] }
  /** Fills an empty data directory from a backup. The caller holds the lock. */
  readonly restore: (restore: Restore, now: number) => Restored
  readonly openLocks: () => Locks
  readonly openConnections: (options: HttpClientOptions) => HttpClient
  readonly openSource: (options: {
    readonly directory: string
    readonly limits: SourceLimits
    readonly allow: { readonly directories: readonly AllowedDirectory[]; readonly networks: readonly string[] }
    readonly dataDirectory: string
    readonly access: HttpAccess
    readonly credentialFor: (url: string) => string | undefined
    readonly sshLogins: (address: string) => SshLogin | undefined
    readonly mayPush: (address: string) => boolean
    readonly searchPath: string
    readonly keys: SigningKeys
    readonly locks: Locks
    readonly pushed: PushedPackages
  }) => Source & { readonly tips: RefTips }
  /** Fetches packages that requests name by URL. */
  readonly openRemotes: (options: {
    readonly limits: RemoteLimits
    readonly networks: readonly string[]
    readonly access: HttpAccess
  }) => RemotePackages
  /** Evaluates Jsonnet. */
  readonly openSandbox: (limits: SandboxLimits) => Sandbox
  /** Defects of a database file; undefined: the check takes longer than `limitMs`. */
  readonly integrity: (file: string, limitMs: number) => Promise<readonly string[] | undefined>
  readonly apiExtensions: readonly ApiExtension[]
  readonly openMeters: (version: string) => Meters & MetricsPage
  /** Known before anything is opened. The target `local` is on the first one. */
  readonly platforms: readonly PlatformDescription[]
  readonly openPlatforms: (documents: Documents, means: PlatformMeans) => readonly Platform[]
}

// Opens what a sync works with: store, sources, engine, platforms and inputs, from the configuration.
import { join } from 'node:path'
import type { Adapters } from './agent-adapters.js'
import type { AgentDeps } from './agent/agent.js'
import { ReadsFile } from './agent/crash/reads-file.js'
import { RemoteReads } from './agent/crash/remote-reads.js'
import { sharedFetch } from './source/shared-fetch.js'
import { readEnvironment } from './config/environment.js'
import type { Configuration } from './config/config.js'
import { Engine } from './engine/engine.js'
import type { AgentStart } from './model/agent/agent-start.js'
import type { Sealed } from './model/json.js'
import type { Platform, Target } from './platform/platform.js'
import { registerPlatforms } from './platform/register-platforms.js'
import { Credentials } from './secrets/credentials.js'
import { openKeyring } from './secrets/keyring.js'
import { SigningKeys } from './secrets/signing-keys.js'
import { redactParts } from './secrets/redact/redact-facts.js'
import type { HttpAccess } from './source/network/authorized-request.js'
import type { HttpClient, HttpClientOptions } from './source/network/http-client.js'
import { post } from './source/network/post.js'
import { sendWhole } from './source/network/whole-request.js'
import { targetNotGiven } from './stacks/changes/declared-elsewhere.js'
import { PackageReader } from './stacks/load-package/package-reader.js'
import { StackInputs } from './stacks/inputs/inputs.js'
import { Targets } from './stacks/targets.js'
import { sentenceMethods, type Store } from './store/store.js'
import type { Clock } from './lib/clock.js'
import type { Locks } from './lib/async/locks.js'
import type { Log } from './agent/watch/log.js'
import { resolveValue, type ValueLookup } from './secrets/resolve-value.js'
import type { Redactor } from './secrets/redact/redact.js'

export interface SyncSurroundings {
  readonly log: Log
  readonly clock: Clock
  /** Where `${env:…}` and `${file:…}` are resolved. */
  readonly lookup: ValueLookup
  /** Gets every secret of the configuration. */
  readonly redactor: Redactor
  /** The database is corrupt; only a new start repairs it. */
  readonly onDamage: (error: Error) => void
  /** How the last agent on the data directory that had a configuration file was started. */
  readonly former?: AgentStart | undefined
}

/** What a sync works with, and what of it a reload replaces. */
export interface SyncParts extends AsyncDisposable {
  readonly sync: AgentDeps['sync']
  readonly store: ReturnType<Adapters['openStore']>
  readonly client: HttpClient
  readonly credentials: Credentials
  readonly keys: SigningKeys
  readonly reads: RemoteReads
}

/** Opens what the configuration names: the store, the sources with their credentials, the targets and the engine. */
export function openSync(
  configuration: Configuration,
  adapters: Adapters,
  { log, redactor, clock, lookup, onDamage, former = { data: configuration.data } }: SyncSurroundings,
): SyncParts {
  const { limits, data, allow } = configuration
  const client = openConnections(configuration, { redactor, lookup }, adapters)
  const credentials = new Credentials(configuration.credentials, {
    lookup,
    redactor,
    clock,
    post: (url, headers) => post(client, limits.gitRequestMs, { url, headers }),
  })
  const access: HttpAccess = {
    client,
    authorization: (url, refused) => credentials.authorization(url, refused),
    credentialFor: (url) => credentials.nameFor(url),
  }
  const sealer = openKeyring(data)
  const isOurs = (sealed: Sealed): boolean => sealer.sealedHere(sealed)
  const eventFamilies = new Map(adapters.platforms.map((platform) => [platform.name, platform.eventFamilies]))
  const store = adapters.openStore(join(data, 'gitmoor.db'), clock, { onDamage, isOurs, eventFamilies })
  for (const { code, message } of store.startEvents) log.warn(message, { code })
  const kept: Store = redactParts(store, sentenceMethods, (text) => redactor.redact(text))
  const keys = new SigningKeys(configuration.keys, lookup)
  const locks = adapters.openLocks()
  const source = openSource(configuration, { access, credentials, keys, locks, pushed: store.pushes }, adapters)
  const record = new ReadsFile(data)
  const reads = new RemoteReads({ record, clock })
  for (const [remote, crashes] of reads.suspects)
    log.warn('remote delayed: the agent crashed while it read the remote', { remote, crashes })
  const secretValue = (text: string): string => {
    const value = resolveValue(text, lookup)
    redactor.add(value)
    return value
  }
  const platforms = registerPlatforms(
    adapters.platforms,
    adapters.openPlatforms(store.documents, {
      sealer,
      clock,
      secretValue,
      send: (request, signal) => sendWhole(client, request, signal),
    }),
  )
  const packages = new PackageReader()
  const sync = {
    source: sharedFetch(reads.source(source)),
    tips: reads.refTips(source.tips),
    store: kept,
    locks,
    engine: new Engine({ journal: kept.journal, sealer }),
    targets: openTargets(configuration, platforms, { log, former, locks }),
    remotes: adapters.openRemotes({ limits, networks: allow.networks, access }),
    sandbox: adapters.openSandbox(limits),
    packages,
    inputs: new StackInputs({
      keyring: sealer,
      redactor,
      lookup,
      allowed: { ...allow.secrets, dataDirectory: data },
    }),
    maxDocuments: limits.documents,
    maxBytes: limits.totalBytes,
  }
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]()
    for (const platform of platforms.values()) platform[Symbol.dispose]?.()
    packages[Symbol.dispose]()
    store[Symbol.dispose]()
    reads[Symbol.dispose]()
    record[Symbol.dispose]()
  }
  return { sync, store, client, credentials, keys, reads, [Symbol.asyncDispose]: close }
}

function openTargets(
  configuration: Configuration,
  platforms: ReadonlyMap<string, Platform>,
  { log, former, locks }: { readonly log: Log; readonly former: AgentStart; readonly locks: Locks },
): Targets {
  const isGiven = configuration.file !== undefined
  return new Targets(declaredTargets(configuration), [...platforms.values()], {
    locks,
    calls: {
      limitMs: configuration.limits.driverCallMs,
      onCall: (call) => log.debug('target called', { ...call }),
    },
    ...(isGiven ? {} : { missing: (target, stack) => targetNotGiven(target, former, stack) }),
  })
}

export function declaredTargets({ targets }: Configuration): readonly Target[] {
  return Object.entries(targets).map(([name, target]) => ({ name, ...target }))
}

function openConnections(
  { connections, allow }: Configuration,
  known: Pick<HttpClientOptions, 'redactor' | 'lookup'>,
  adapters: Adapters,
): HttpClient {
  const { proxies, extraAuthorities } = readEnvironment()
  return adapters.openConnections({
    entries: connections,
    networks: allow.networks,
    proxies,
    ...(extraAuthorities === undefined ? {} : { extraAuthorities }),
    ...known,
  })
}

function openSource(
  configuration: Configuration,
  {
    access,
    credentials,
    ...known
  }: Pick<Parameters<Adapters['openSource']>[0], 'access' | 'keys' | 'locks' | 'pushed'> & {
    readonly credentials: Credentials
  },
  adapters: Adapters,
): ReturnType<Adapters['openSource']> {
  return adapters.openSource({
    ...known,
    directory: join(configuration.data, 'git'),
    limits: configuration.limits,
    allow: configuration.allow,
    dataDirectory: configuration.data,
    access,
    credentialFor: (url) => credentials.nameFor(url),
    sshLogins: (address) => credentials.sshLogin(address),
    mayPush: (address) => credentials.push(address),
    searchPath: readEnvironment().path,
  })
}

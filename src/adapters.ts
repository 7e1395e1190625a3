// All adapters. They are loaded only if the command line runs the agent.
import { join } from 'node:path'
import { InProcessLocks } from './lib/async/in-process-locks.js'
import { ignoreFile, isPackageFile, packageFileFilter } from './package/package-files.js'
import { JsonnetSandbox } from './sandbox/jsonnet/jsonnet-sandbox.js'
import { DirectorySource } from './source/directory/directory-source.js'
import { GitSource } from './source/git/git-source.js'
import { HttpClient } from './source/network/http-client.js'
import { HttpPackages } from './source/url/http-packages.js'
import { InlineSource } from './source/inline/inline-source.js'
import { Sources } from './source/sources.js'
import { UrlSource } from './source/url/url-source.js'
import { PrometheusMeters } from './agent/watch/prometheus-meters.js'
import { influxdb } from './influxdb/influxdb.js'
import { integrityProblems } from './store/sqlite/repair/integrity-check.js'
import { lockDirectory } from './store/sqlite/file/lock-directory.js'
import { restoreBackup } from './store/sqlite/backup/restore-backup.js'
import { SqliteStore } from './store/sqlite/sqlite-store.js'
import { platforms } from './platforms.js'
import type { Adapters, PlatformRoom } from './agent-adapters.js'

/** What platforms bring. Without the folder of one and its name here and in platforms.ts, the rest is whole. */
const rooms: readonly PlatformRoom[] = [influxdb]

export const adapters: Adapters = {
  lock: lockDirectory,
  openStore: (file, clock, options) => new SqliteStore(file, clock, options),
  restore: restoreBackup,
  openLocks: () => new InProcessLocks(),
  openConnections: (options) => new HttpClient(options),
  openSource: (options) => {
    const url = { ...options, directory: join(options.dataDirectory, 'url'), networks: options.allow.networks }
    return new Sources({
      git: new GitSource(options),
      url: new UrlSource(url),
      directory: new DirectorySource({
        ...options,
        packageFiles: { ignoreFile, isPackageFile, isPackageFileBut: packageFileFilter },
      }),
      inline: new InlineSource(options.pushed),
    })
  },
  openRemotes: (options) => new HttpPackages(options),
  openSandbox: (limits) => new JsonnetSandbox(limits),
  integrity: integrityProblems,
  openMeters: (version) => new PrometheusMeters(version),
  apiExtensions: rooms.map(({ api }) => api),
  platforms,
  openPlatforms: (documents, means) => rooms.flatMap(({ open }) => open(documents, means)),
}

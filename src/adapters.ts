// Which adapters there are. They are named here and nowhere else, and loaded only where the command line becomes the agent.
import { GitSource } from './source/git-source.js'
import { EmbeddedPlatform } from './platform/embedded/embedded-platform.js'
import { lockDirectory } from './store/sqlite/lock-directory.js'
import { restoreBackup } from './store/sqlite/restore-backup.js'
import { SqliteStore } from './store/sqlite/sqlite-store.js'
import type { Adapters } from './open-agent.js'

/** What the agent is made of beside what it decides. */
export const adapters: Adapters = {
  lock: lockDirectory,
  openStore: (file, clock, options) => new SqliteStore(file, clock, options),
  restore: restoreBackup,
  openSource: (options) => new GitSource(options),
  openPlatforms: (documents, known) => [new EmbeddedPlatform(documents, known)],
}

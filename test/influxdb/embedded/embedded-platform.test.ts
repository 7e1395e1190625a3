import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { EmbeddedPlatform } from '../../../src/influxdb/embedded/embedded-platform.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../../manual-clock.js'
import { describePlatform } from '../../platform/describe-platform.js'

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

describePlatform('embedded', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-platform-'))
  const store = new SqliteStore(join(directory, 'gitmoor.db'), new ManualClock())
  opened.push(() => {
    store[Symbol.dispose]()
    rmSync(directory, { recursive: true, force: true })
  })
  const platform = new EmbeddedPlatform(store.documents, { sealer: new Keyring(new Uint8Array(32)) })
  return { platform, target: { name: 'local', platform: 'embedded', settings: { organisation: 'main' } } }
})

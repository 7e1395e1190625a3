// A process that begins a run, waits for a line on its standard input, and then tries every write of the run. It prints
// the codes of the errors, by write.
import { once } from 'node:events'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { beginRun, writesOfRuns } from './run-writes.js'

void tryAll(process.argv[2]!)

async function tryAll(file: string): Promise<void> {
  using store = new SqliteStore(file, new ManualClock())
  const leased = await beginRun(store)
  process.stdout.write(`${JSON.stringify(leased.lease)}\n`)
  await once(process.stdin, 'data')
  process.stdin.destroy()
  const codes: Record<string, string> = {}
  for (const [name, write] of Object.entries(writesOfRuns))
    codes[name] = await write(leased).then(
      () => 'written',
      (error: { readonly code?: string }) => error.code ?? 'no code',
    )
  process.stdout.write(`${JSON.stringify(codes)}\n`)
}

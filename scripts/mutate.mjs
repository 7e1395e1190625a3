// `npm run mutate [-- --room plan --seed 1 --sample 200]`: breaks the code in small ways, and prints which breaks no
// test notices.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

mkdirSync('.reports', { recursive: true })
const directory = mkdtempSync(join(process.cwd(), '.reports/mutation-'))
try {
  const bundle = await rolldown({
    input: { 'run-all': 'test/mutation/run-all.ts', child: 'test/mutation/child.ts' },
    platform: 'node',
    external: /^(rolldown|@vitest)\b/,
    transform: { target: 'node20' },
  })
  await bundle.write({ dir: directory, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  const { status } = spawnSync(process.execPath, [join(directory, 'run-all.mjs'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

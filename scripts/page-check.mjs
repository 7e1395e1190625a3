// `npm run page:check`: how long the first answer of the page takes with 1,000 and with 10,000 stacks, compared with an
// empty page in the same browser. Needs a machine that does nothing else.
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/page/first-answer'], {
  env: { ...process.env, GITMOOR_PAGE_CHECK: '1', CI: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1

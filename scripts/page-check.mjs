// `npm run page:check`: all tests of the page, one file at a time; and how long its first answer takes with 1,000 and
// 10,000 stacks, compared with an empty page, which needs a machine that does nothing else.
import { spawnSync } from 'node:child_process'

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism', 'test/page/']
const env = { ...process.env, GITMOOR_PAGE_CHECK: '1', CI: '1' }
process.exitCode = spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1

// `npm run page:check`: how long the first answer of the page takes with 1,000 and with 10,000 stacks, compared with an
// empty page in the same browser, which needs a machine that does nothing else; and axe-core over every view in both
// themes and two widths.
import { spawnSync } from 'node:child_process'

const files = ['test/page/first-answer', 'test/page/accessibility']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism', ...files]
const env = { ...process.env, GITMOOR_PAGE_CHECK: '1', CI: '1' }
process.exitCode = spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1

// `npm run attack [-- --seed N --scale 1] [FILTER…]`: runs the seeded suites of test/attack, or those that the filters
// name. Without a seed it draws one. It prints the seed, so that a failure can be repeated.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, scale: { type: 'string', default: '1' } },
})
const seed = values.seed ?? String(randomInt(2 ** 31))
console.log(`seed ${seed}, scale ${values.scale}`)
const env = { ...process.env, GITMOOR_ATTACK: values.scale, GITMOOR_ATTACK_SEED: seed }
const filters = positionals.length === 0 ? ['test/attack/'] : positionals
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...filters], {
  env,
  stdio: 'inherit',
})
process.exitCode = status ?? 1

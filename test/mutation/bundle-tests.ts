import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { mutated, type Mutant } from './mutant.js'

/**
 * Writes the tests and all of ours that they import into a new directory, with one change in it; what is in
 * node_modules is imported from there. Gives a file for each test, in their order: hooks are those of one file.
 */
export async function bundleTests(
  tests: readonly string[],
  directory: string,
  mutant: Mutant | undefined,
): Promise<readonly string[]> {
  await using bundle = await rolldown({
    input: Object.fromEntries(tests.map((test, at) => [String(at), resolve(test)])),
    platform: 'node',
    external: /^(?!@oxc-project\/|[./]|\0)/,
    transform: { target: 'node20' },
    treeshake: false,
    plugins: mutant === undefined ? [] : [changing(mutant)],
  })
  await bundle.write({ dir: directory, entryFileNames: 'test-[name].mjs', chunkFileNames: '[hash].mjs' })
  return tests.map((_test, at) => join(directory, `test-${at}.mjs`))
}

function changing(mutant: Mutant): Plugin {
  const file = resolve(mutant.file)
  return { name: 'mutant', load: { filter: { id: file }, handler: () => mutated(readFileSync(file, 'utf8'), mutant) } }
}

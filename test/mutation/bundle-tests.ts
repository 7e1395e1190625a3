import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { mutated, type Mutant } from './mutant.js'

/**
 * Makes one file of tests and all of ours that they import, with one change in it; what is in node_modules is imported
 * from there.
 */
export async function bundleTests(tests: readonly string[], file: string, mutant: Mutant | undefined): Promise<void> {
  await using bundle = await rolldown({
    input: 'tests',
    platform: 'node',
    external: /^(?!tests$|@oxc-project\/|[./]|\0)/,
    transform: { target: 'node20' },
    treeshake: false,
    plugins: [entry(tests), ...(mutant === undefined ? [] : [changing(mutant)])],
  })
  await bundle.write({ file, codeSplitting: false })
}

/** The module that imports all tests, in their order. The filters save a call for each of 1,000 imports. */
function entry(tests: readonly string[]): Plugin {
  const text = tests.map((test) => `import ${JSON.stringify(resolve(test))}\n`).join('')
  return {
    name: 'tests',
    resolveId: { filter: { id: /^tests$/ }, handler: (id) => id },
    load: { filter: { id: /^tests$/ }, handler: () => text },
  }
}

function changing(mutant: Mutant): Plugin {
  const file = resolve(mutant.file)
  return { name: 'mutant', load: { filter: { id: file }, handler: () => mutated(readFileSync(file, 'utf8'), mutant) } }
}

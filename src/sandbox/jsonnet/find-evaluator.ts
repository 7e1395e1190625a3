import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Rejected } from '../../model/errors.js'

/** The npm package that evaluates Jsonnet. It compiles C++, so only users of Jsonnet install it. */
export const evaluatorPackage = { name: '@hanazuki/node-jsonnet', version: '2.1.0' } as const

/** The path of the evaluator: in `node_modules` of gitmoor, or beside gitmoor. Errors: `Rejected`. */
export function findEvaluator(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    throw noEvaluator()
  }
}

/** `cause`: why one that was found cannot be loaded. */
export function noEvaluator(cause?: unknown): Rejected {
  const command = installCommand(fileURLToPath(import.meta.url))
  return new Rejected('The package contains Jsonnet, but the evaluator of Jsonnet is not installed.', {
    code: 'sandbox/no-jsonnet',
    hint:
      `Install it where gitmoor is installed (needs CMake and a C++ compiler): ${command}. ` +
      'Or commit the evaluated JSON.',
    cause,
  })
}

/** Installs the evaluator where `program`, a file of gitmoor, finds it. */
export function installCommand(program: string): string {
  const { name, version } = evaluatorPackage
  const [, prefix] = /^(.+)\/lib\/node_modules\/gitmoor\//.exec(program) ?? []
  return prefix === undefined ? 'npm run jsonnet' : `npm install --global --prefix ${prefix} ${name}@${version}`
}

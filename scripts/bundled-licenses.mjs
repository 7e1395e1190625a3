// The license texts of the packages in a bundle: their licenses require that a copy contains them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licenses that only require their text. A package with another one must not be bundled: NOTICE says why. */
const permissive = /^\(?(MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense)\b/

/** `modules`: paths of the bundled files. Errors: a package whose license is not permissive. */
export function bundledLicenses(modules) {
  const folders = new Set(modules.flatMap((module) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module) ?? []))
  return [...folders]
    .map(licenseOf)
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!permissive.test(license)) throw new Error(`${name} must not be bundled: its license is ${license}.`)
  const file = readdirSync(folder).find((file) => /^(licen[cs]e|copying)/i.test(file))
  const text = file === undefined ? 'The package contains no license text.' : readFileSync(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
}

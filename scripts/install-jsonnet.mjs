// `npm run jsonnet`: installs the evaluator of Jsonnet into jsonnet/ by its lock file, which has its digest, and links
// it into node_modules, where gitmoor finds it. `npm ci` removes the link; then this only links again. It compiles C++.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'jsonnet')
const [[name, version]] = Object.entries(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies)

if (!isInstalled()) {
  const parallel = { CMAKE_BUILD_PARALLEL_LEVEL: String(availableParallelism()) }
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit', env: { ...process.env, ...parallel } })
}
const link = join(root, 'node_modules', name)
mkdirSync(dirname(link), { recursive: true })
rmSync(link, { recursive: true, force: true })
symlinkSync(join('..', '..', 'jsonnet', 'node_modules', name), link)
console.log(`Jsonnet: ${name} ${version} is installed.`)

/** True if the version of the lock file is there and its binary loads. */
function isInstalled() {
  try {
    const require = createRequire(join(folder, 'package.json'))
    require(name)
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version === version
  } catch {
    return false
  }
}

// Part of `npm pack`, after the build: the completion scripts of the package, under the names that shells look for.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const names = { bash: 'gitmoor.bash', zsh: '_gitmoor', fish: 'gitmoor.fish' }

mkdirSync(join(root, 'completions'), { recursive: true })
for (const [shell, name] of Object.entries(names)) {
  const script = execFileSync(process.execPath, [join(root, 'dist', 'main.js'), 'completion', shell])
  writeFileSync(join(root, 'completions', name), script)
}

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { mutated, type Mutant } from './mutant.js'

/** The type check of a copy of `src`, in which one mutant at a time takes its place. */
export class TypeCheck {
  readonly #directory: string

  /** Copies `src` below an empty directory inside the repository, where its imports are found. */
  constructor(directory: string) {
    this.#directory = directory
    cpSync('src', join(directory, 'src'), { recursive: true })
    const compilerOptions = { incremental: true, tsBuildInfoFile: 'types.tsbuildinfo' }
    const config = { extends: resolve('tsconfig.json'), include: ['src'], compilerOptions }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    if (!this.#passes()) throw new Error('The type check fails as the code is.')
  }

  refuses(mutant: Mutant): boolean {
    const text = readFileSync(mutant.file, 'utf8')
    const file = join(this.#directory, mutant.file)
    writeFileSync(file, mutated(text, mutant))
    try {
      return !this.#passes()
    } finally {
      writeFileSync(file, text)
    }
  }

  #passes(): boolean {
    const tsc = resolve('node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [tsc, '-p', this.#directory], { stdio: 'ignore' }).status === 0
  }
}

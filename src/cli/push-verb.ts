import { isUtf8 } from 'node:buffer'
import type { Command } from 'commander'
import { basename, resolve } from 'node:path'
import type { RunRow } from '../stacks/views.js'
import { UsageError } from './cli-error.js'
import { exitCode } from './exit-code.js'
import { finishRun, stackPath } from './follow-run.js'
import type { Declare } from './invocation.js'
import { isSingleFile, readPackageFiles } from './package-files.js'
import { printable } from '../model/printable.js'

interface PushedFile {
  readonly path: string
  readonly text: string
}

export function addPush(stack: Command, declare: Declare): void {
  const push = {
    usage: 'push NAME',
    summary: 'hand the package of an inline stack over, and wait for its sync',
    example: 'stack push boards -f dashboards/',
    notes: 'Of one folder, files are named from there; of several files and folders, with the name of each folder before.',
    options: [
      ['-f, --file <PATH...>', 'package files, and folders of them'],
      ['--no-wait', 'do not wait for the run to end'],
    ],
  } as const
  declare<{ file?: readonly string[]; wait: boolean }>(stack, push, async (at, [name = ''], { file = [], wait }) => {
    const files = await readPushed(file, at.cwd)
    const run = await at.client.ask<RunRow>('PUT', stackPath(name, 'package'), { body: { files } })
    if (wait) return finishRun(at, name, run)
    at.out.answer(run, () => [`Run ${printable(run.id)} of ${printable(name)} is ${run.phase}.`])
    return exitCode.ok
  })
}

async function readPushed(paths: readonly string[], cwd: string): Promise<readonly PushedFile[]> {
  if (paths.length === 0) throw new UsageError('What is pushed? -f FILE is needed.', 'gitmoor stack push NAME -f package.yml')
  const { isPackageFile } = await import('../package/package.js')
  const files: PushedFile[] = []
  for (const path of paths) {
    const whole = resolve(cwd, path)
    const found = await readPackageFiles(whole, isPackageFile)
    const before = paths.length === 1 || (await isSingleFile(whole)) ? '' : `${basename(whole)}/`
    const named = found.map(({ path: name, bytes }) => ({ path: before + name, bytes })).filter((one) => isPackageFile(one.path))
    files.push(...named.map((one) => ({ path: one.path, text: textOf(one.path, one.bytes) })))
  }
  if (files.length === 0) throw new UsageError(`There is no package file (.yml, .yaml, .json) in ${paths.join(', ')}.`)
  return files
}

function textOf(path: string, bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8 text.`, 'Save it as UTF-8.')
  return Buffer.from(bytes).toString('utf8')
}

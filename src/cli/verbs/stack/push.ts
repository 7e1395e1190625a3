import type { Command } from 'commander'
import { basename, resolve } from 'node:path'
import type { RunRow } from '../../../views/run.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import { finishRun, orStoppedWaiting } from '../sync/follow-run.js'
import type { Declare } from '../../invocation.js'
import { readInput, stdinPath, type InputPlaces } from '../../files/input-file.js'
import { stdinPackage, type TextFile } from '../../files/package-texts.js'
import { startedLine } from '../../text/run-text.js'
import { pushInputs, pushOptionList, type PushOptions } from './push-options.js'

/** The limit of a package file. */
const maximumInputBytes = 4 * 1024 * 1024

export function addPush(stack: Command, declare: Declare): void {
  const push = {
    usage: 'push NAME',
    summary: 'push package files to an inline stack and wait for the sync',
    example: 'stack push boards -f dashboards/',
    notes: 'Files are named relative to a single directory. With several paths, names begin with the directory.',
    options: [...pushOptionList(), ['--no-wait', 'do not wait for the run to finish']],
  } as const
  declare<PushOptions & { wait: boolean }>(stack, push, async (cli, [name = ''], { wait, ...options }) => {
    const { file = [], url = [] } = options
    if (file.length + url.length === 0) throw usageErrors.noPackage(name)
    const inputs = await pushInputs(options, cli)
    const files = await readPushed(file, cli)
    const body = { files, ...inputs }
    const request = cli.client.request<RunRow>('PUT', stackPath(name, 'package'), { body })
    const run = await orStoppedWaiting(cli, name, request)
    if (wait) return finishRun(cli, name, run)
    cli.out.answer(run, () => [startedLine(name, run)])
    return exitCode.ok
  })
}

async function readPushed(paths: readonly string[], places: InputPlaces): Promise<readonly TextFile[]> {
  const { readPackageTexts, refuseNoPackage } = await import('../../files/package-texts.js')
  const { isSingleFile } = await import('../../files/package-files.js')
  const { isPackageFile } = await import('../../../package/package-files.js')
  const files: TextFile[] = []
  for (const path of paths) {
    if (path === stdinPath) {
      files.push(await readPackageInput(places))
      continue
    }
    const absolute = resolve(places.cwd, path)
    const found = await readPackageTexts(absolute)
    const prefix = paths.length === 1 || (await isSingleFile(absolute)) ? '' : `${basename(absolute)}/`
    const named = found.map(({ path: name, text }) => ({ path: prefix + name, text }))
    files.push(...named.filter((one) => isPackageFile(one.path)))
  }
  if (paths.length > 0) refuseNoPackage(files, paths.join(', '))
  return files
}

/** Text that begins with a bracket is JSON; anything else is YAML. */
async function readPackageInput(places: InputPlaces): Promise<TextFile> {
  const { decodeUtf8 } = await import('../../files/package-texts.js')
  const text = decodeUtf8('Standard input', await readInput(stdinPath, places, maximumInputBytes))
  return { path: stdinPackage(text), text }
}

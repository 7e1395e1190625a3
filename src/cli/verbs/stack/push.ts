import { isUtf8 } from 'node:buffer'
import type { Command } from 'commander'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { RunRow } from '../../../views/run.js'
import { UsageError } from '../../cli-error.js'
import { exitCode } from '../../exit-code.js'
import { finishRun, stackPath } from '../follow-run.js'
import type { Declare, Invocation } from '../../invocation.js'
import { isSingleFile, readPackageFiles } from '../../files/package-files.js'
import { pushInputs, pushOptionList, type PushOptions } from './push-options.js'
import { printable } from '../../../lib/printable.js'

/** As of a file. */
const maximumInputBytes = 4 * 1024 * 1024

interface PushedFile {
  readonly path: string
  readonly text: string
}

export function addPush(stack: Command, declare: Declare): void {
  const push = {
    usage: 'push NAME',
    summary: 'hand the package of an inline stack over, and wait for its sync',
    example: 'stack push boards -f dashboards/',
    notes:
      'Of one folder, files are named from there; of several files and folders, with the name of each folder before.',
    options: [...pushOptionList(), ['--no-wait', 'do not wait for the run to end']],
  } as const
  declare<PushOptions & { wait: boolean }>(stack, push, async (at, [name = ''], { wait, ...options }) => {
    const { file = [], url = [] } = options
    if (file.length + url.length === 0)
      throw new UsageError('What is pushed? -f FILE or -u URL is needed.', 'gitmoor stack push NAME -f package.yml')
    const beside = pushInputs(options, at.cwd)
    const files = await readPushed(file, at)
    const run = await at.client.request<RunRow>('PUT', stackPath(name, 'package'), { body: { files, ...beside } })
    if (wait) return finishRun(at, name, run)
    at.out.answer(run, () => [`Run ${printable(run.id)} of ${printable(name)} is ${run.phase}.`])
    return exitCode.ok
  })
}

async function readPushed(
  paths: readonly string[],
  { cwd, stdin }: Pick<Invocation, 'cwd' | 'stdin'>,
): Promise<readonly PushedFile[]> {
  const { isDeclaring, isPackageFile } = await import('../../../package/package.js')
  const files: PushedFile[] = []
  for (const path of paths) {
    if (path === '-') {
      files.push(await readInput(stdin))
      continue
    }
    const whole = resolve(cwd, path)
    const found = await readPackageFiles(whole, isPackageFile)
    const before = paths.length === 1 || (await isSingleFile(whole)) ? '' : `${basename(whole)}/`
    const named = found
      .map(({ path: name, bytes }) => ({ path: before + name, bytes }))
      .filter((one) => isPackageFile(one.path))
    files.push(...named.map((one) => ({ path: one.path, text: decodeUtf8(one.path, one.bytes) })))
  }
  if (paths.length > 0 && !files.some(({ path }) => isDeclaring(path)))
    throw new UsageError(`There is no package file (.yml, .yaml, .json, .jsonnet) in ${paths.join(', ')}.`)
  return files
}

/** JSON begins with a bracket; all else is YAML. */
async function readInput(stdin: Readable): Promise<PushedFile> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > maximumInputBytes)
      throw new UsageError(`Standard input holds more than ${maximumInputBytes} bytes.`, 'Push it as a file, in parts.')
  }
  const text = decodeUtf8('Standard input', Buffer.concat(chunks))
  return { path: /^\s*[[{]/.test(text) ? 'stdin.json' : 'stdin.yml', text }
}

function decodeUtf8(path: string, bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8 text.`, 'Save it as UTF-8.')
  return Buffer.from(bytes).toString('utf8')
}

import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { readBoundedInput } from '../../settings/bounded-file.js'
import { fileErrors } from '../errors/file-errors.js'

/** Where a command finds the files that it names: relative paths start at `cwd`, and `-` is `stdin`. */
export interface InputPlaces {
  readonly cwd: string
  readonly stdin: Readable
}

/** The name of standard input on the command line. */
export const stdinPath = '-'

/** Reads a regular file, `<(…)`, or standard input for `-`. Errors: `UsageError`, which names the path as typed. */
export async function readInput(path: string, { cwd, stdin }: InputPlaces, maximumBytes: number): Promise<Buffer> {
  return path === stdinPath ? readStdin(stdin, maximumBytes) : readInputFile(resolve(cwd, path), path, maximumBytes)
}

/** Reads a regular file, or `<(…)`, named on the command line. `shown` names it in the `UsageError`. */
export function readInputFile(path: string, shown: string, maximumBytes: number): Buffer {
  try {
    return readBoundedInput(path, maximumBytes)
  } catch (error) {
    throw fileErrors.unreadable(shown, error)
  }
}

async function readStdin(stdin: Readable, maximumBytes: number): Promise<Buffer> {
  if (stdin.readableEnded) throw fileErrors.stdinTwice()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > maximumBytes)
      throw fileErrors.tooLarge('Standard input', `more than ${maximumBytes} bytes`, 'Pass a smaller file.')
  }
  return Buffer.concat(chunks)
}

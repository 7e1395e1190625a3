import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** Thrown for a file over the limit of its reader. */
export class FileTooLarge extends Error {
  /** The limit, such as `4 MiB`. */
  readonly limit: string

  constructor(mostBytes: number) {
    const limit = sizeText(mostBytes)
    super(`it is larger than ${limit}`)
    this.name = 'FileTooLarge'
    this.limit = limit
  }
}

const chunkBytes = 65_536

/** The paths of pipes that a shell passes for `<(…)` and standard input. */
const pipePaths = /^\/(dev\/(stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/

/** Like `readBoundedFile`; also reads a pipe of the shell to its end. */
export function readBoundedInput(path: string, mostBytes: number): Buffer {
  if (!pipePaths.test(path)) return readBoundedFile(path, mostBytes)
  return readWhole(openSync(path, constants.O_RDONLY), mostBytes, (status) => status.isFile() || status.isFIFO())
}

/**
 * The bytes of a regular file of at most `mostBytes`. Opening a FIFO does not block, and a device is not read. Throws
 * the error of the system call (with `code`), or an error whose message follows "Cannot read the file: ".
 */
export function readBoundedFile(path: string, mostBytes: number): Buffer {
  return readWhole(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), mostBytes, (status) => status.isFile())
}

/** Closes the handle. */
function readWhole(handle: number, mostBytes: number, isReadable: (status: Stats) => boolean): Buffer {
  try {
    const status = fstatSync(handle)
    if (!isReadable(status)) throw new Error(status.isDirectory() ? 'it is a directory' : 'it is not a regular file')
    const bytes = status.size > mostBytes ? undefined : readAtMost(handle, mostBytes)
    if (bytes === undefined) throw new FileTooLarge(mostBytes)
    return bytes
  } finally {
    closeSync(handle)
  }
}

/** Until the end: the file can grow after its size was read. undefined: it has more bytes. */
function readAtMost(handle: number, mostBytes: number): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let total = 0; total <= mostBytes;) {
    const chunk = Buffer.alloc(chunkBytes)
    const count = readSync(handle, chunk)
    if (count === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, count))
    total += count
  }
  return undefined
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes / 1024} KiB`
}

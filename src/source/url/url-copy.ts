// The newest body of a URL, stored so that the next poll can ask whether it changed, and that reading needs no second
// download.
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { diskError } from '../disk-error.js'
import type { Validators } from './url-request.js'

/** The header of a stored body. */
export interface CopyHead {
  /** `sha256:<digest>` of the body. */
  readonly state: string
  readonly validators: Validators
  /** The content type of the response; '' if there was none. */
  readonly type: string
}

export interface UrlCopy extends CopyHead {
  readonly body: Buffer
}

const headSchema = z.object({
  remote: z.string(),
  state: z.string(),
  type: z.string(),
  validators: z.object({ etag: z.string().optional(), lastModified: z.string().optional() }),
})

export function bodyState(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`
}

/** Undefined: nothing is stored, it is of another remote, or it is damaged. */
export async function readCopy(file: string, remote: string): Promise<UrlCopy | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  const head = bytes && headIn(bytes, remote)
  const body = bytes?.subarray(bytes.indexOf(10) + 1)
  return head !== undefined && body !== undefined && head.state === bodyState(body) ? { ...head, body } : undefined
}

/** Only the header; the body may be damaged. A poll does not read large bodies. */
export async function readCopyHead(file: string, remote: string): Promise<CopyHead | undefined> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostHeadBytes), 0, mostHeadBytes, 0)
    return headIn(buffer.subarray(0, bytesRead), remote)
  } catch {
    return undefined
  }
}

/**
 * Writes one line of JSON, then the body, to a new file, and renames it. Throws `Unavailable` if the disk refuses it.
 */
export async function writeCopy(
  file: string,
  remote: string,
  { state, type, validators, body }: UrlCopy,
): Promise<void> {
  const fresh = `${file}.new`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(
      fresh,
      Buffer.concat([Buffer.from(`${JSON.stringify({ remote, state, type, validators })}\n`), body]),
      { mode: 0o600 },
    )
    await rename(fresh, file)
  } catch (cause) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw diskError('store the copy of the file', cause)
  }
}

/** Enough for an address, two validators and short fields. */
const mostHeadBytes = 8192

function headIn(bytes: Buffer, remote: string): CopyHead | undefined {
  const head = readHead(bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(10))))
  if (head?.remote !== remote) return undefined
  const { etag, lastModified } = head.validators
  const validators = {
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  }
  return { state: head.state, type: head.type, validators }
}

function readHead(line: string): z.output<typeof headSchema> | undefined {
  try {
    return headSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

// The newest body of a URL, kept so that the next look can ask whether it changed, and that reading it needs no second download.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { Unavailable } from '../../model/errors.js'
import type { Validators } from './url-request.js'

export interface UrlCopy {
  /** `sha256:<digest>` of the body. */
  readonly state: string
  readonly validators: Validators
  /** As the server said it; '' for nothing. */
  readonly type: string
  readonly body: Buffer
}

const headSchema = z.object({
  remote: z.string(),
  state: z.string(),
  type: z.string(),
  validators: z.object({ etag: z.string().optional(), lastModified: z.string().optional() }),
})

export function stateOfBody(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`
}

/** Undefined: none is kept, it is of another remote, or it is damaged. */
export async function readCopy(file: string, remote: string): Promise<UrlCopy | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  const end = bytes?.indexOf(10) ?? -1
  if (bytes === undefined || end < 0) return undefined
  const head = readHead(bytes.toString('utf8', 0, end))
  const body = bytes.subarray(end + 1)
  if (head?.remote !== remote || head.state !== stateOfBody(body)) return undefined
  const { etag, lastModified } = head.validators
  const validators = { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
  return { state: head.state, type: head.type, validators, body }
}

/** One line of JSON, then the body: written beside it, then renamed into place. Throws `Unavailable` where the disk refuses. */
export async function writeCopy(file: string, remote: string, { state, type, validators, body }: UrlCopy): Promise<void> {
  const fresh = `${file}.new`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(fresh, Buffer.concat([Buffer.from(`${JSON.stringify({ remote, state, type, validators })}\n`), body]), { mode: 0o600 })
    await rename(fresh, file)
  } catch (cause) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw new Unavailable(`The copy of the file could not be kept: ${(cause as NodeJS.ErrnoException).code ?? 'error'}.`, {
      code: 'source/disk',
      hint: 'Check the space and the permissions of the data directory.',
      cause,
    })
  }
}

function readHead(line: string): z.output<typeof headSchema> | undefined {
  try {
    return headSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

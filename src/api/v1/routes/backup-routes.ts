import { z } from '@hono/zod-openapi'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Backup } from '../../../store/copies.js'
import { readRequest, type Api } from '../endpoint.js'
import { bodyErrors, commonErrors, describeLater, errorResponses } from '../openapi.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

/** Creates backups, one at a time. */
export interface BackupCreator {
  create(withKey: boolean, signal: AbortSignal): Promise<Backup>
}

const path = '/api/v1/backup'
const strictQuery = strictObject({})
const body = strictObject({
  withKey: z.boolean().default(false).describe('Include the key and the token. The file is then a secret.'),
})

/** The time to download a backup, and the longest pause of a client. */
const readMs = 3_600_000
const stalledMs = 30_000

/** A backup of the database while the agent runs. `Gitmoor-Sha256` is its digest, so clients can check the download. */
export function addBackupRoute(api: Api, backups: BackupCreator, stallMs = stalledMs): void {
  describe(api)
  api.post(path, async (c) => {
    const {
      body: { withKey },
      signal,
    } = await readRequest(c, { body, strictQuery })
    const backup = await backups.create(withKey, signal)
    if (signal.aborted) await backup[Symbol.asyncDispose]()
    signal.throwIfAborted()
    const headers = {
      'Content-Type': 'application/vnd.sqlite3',
      'Content-Length': String(backup.bytes),
      'Gitmoor-Sha256': backup.sha256,
    }
    return c.body(fileStream(backup, { stallMs, signal: c.req.raw.signal, drop: () => c.env?.drop?.() }), 200, headers)
  })
}

interface Reader {
  readonly stallMs: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Closes its connection. */
  readonly drop: () => void
}

/** Deletes the file after the download, when the client disconnects, or when it pauses for too long. */
function fileStream(backup: Backup, { stallMs, signal, drop }: Reader): ReadableStream<Uint8Array> {
  const stream = createReadStream(backup.path)
  const giveUp = (): void => {
    stream.destroy()
    drop()
  }
  const timers = [setTimeout(giveUp, readMs), setTimeout(giveUp, stallMs)].map((timer) => timer.unref())
  signal.addEventListener('abort', giveUp, { once: true })
  stream.once('close', () => {
    signal.removeEventListener('abort', giveUp)
    for (const timer of timers) clearTimeout(timer)
    void backup[Symbol.asyncDispose]()
  })
  const readable = Readable.toWeb(stream) as ReadableStream<Uint8Array>
  stream.on('data', () => timers[1]!.refresh()) // the stream stays paused: the client sets the pace
  return readable
}

function describe(api: Api): void {
  const file = { schema: z.string().openapi({ format: 'binary' }) }
  const digest = { description: 'The SHA-256 of the file, in hex.', schema: { type: 'string' } } as const
  describeLater(api, 'admin', () => ({
    method: 'post',
    path,
    operationId: 'createBackup',
    summary: 'Download a backup of the database for `gitmoor restore FILE`.',
    description: 'Requests are answered meanwhile. One backup is made at a time.',
    tags: ['backup'],
    request: { body: { content: { 'application/json': { schema: body } } } },
    responses: {
      200: {
        description: 'The file.',
        headers: { 'Gitmoor-Sha256': digest },
        content: { 'application/vnd.sqlite3': file },
      },
      ...errorResponses([...commonErrors, ...bodyErrors, 423]),
    },
  }))
}

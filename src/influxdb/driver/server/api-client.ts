// Requests to InfluxDB's API: authorized, limited, and repeated where that is safe.
import { Semaphore } from '../../../lib/async/semaphore.js'
import type { Clock } from '../../../lib/clock.js'
import { fullBucket, takeToken, type Bucket, type Rate } from '../../../lib/token-bucket.js'
import { Rejected, SyncError, Unavailable } from '../../../model/errors.js'
import type { Json } from '../../../model/json.js'
import type { PlatformMeans } from '../../../platform/platform-means.js'
import { answerError } from './api-errors.js'

/** `path`: after the address of the server, with its query. `body`: plain JSON, also of secrets. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: Json
  /** Sending it twice has the effect of once. Default: true, except for POST. */
  readonly repeatable?: boolean
}

export interface ApiClientOptions {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: () => string
  /** In messages. */
  readonly target: string
  readonly concurrency: number
  /** 0: no limit. */
  readonly requestsPerSecond: number
  readonly requestMs: number
  readonly send: PlatformMeans['send']
  readonly clock: Clock
}

/** How long to wait before a request is repeated, unless the server says it. */
export const pausesMs = [100, 400, 1_600] as const
/** A server that asks for a longer pause is not asked again: the run ends, and is retried later. */
export const mostPauseMs = 5_000
const mostAnswerBytes = 64 * 1024 * 1024

export class ApiClient {
  readonly #options: ApiClientOptions
  readonly #places: Semaphore
  readonly #rate: Rate | undefined
  #bucket: Bucket | undefined

  constructor(options: ApiClientOptions) {
    this.#options = options
    this.#places = new Semaphore(options.concurrency)
    const { requestsPerSecond: perSecond } = options
    this.#rate = perSecond === 0 ? undefined : { perSecond, burst: perSecond }
  }

  get target(): string {
    return this.#options.target
  }

  get url(): string {
    return this.#options.url
  }

  /**
   * The JSON of the answer; undefined: it has none. A 404 is `Rejected` influxdb/not-found. Errors: `Unavailable`, also
   * if the effect of the request is unknown; `Rejected`.
   */
  async request(request: ApiRequest, signal: AbortSignal): Promise<Json | undefined> {
    const isRepeatable = request.repeatable ?? request.method !== 'POST'
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(request, signal)
      } catch (error) {
        signal.throwIfAborted()
        const pauseMs = pausesMs[attempt]
        if (pauseMs === undefined || !(error instanceof Unavailable) || !mayRepeat(error, isRepeatable)) throw error
        const waitMs = error.retryAfterMs ?? pauseMs
        if (waitMs > mostPauseMs) throw error
        await this.#options.clock.sleep(waitMs, signal)
      }
    }
  }

  #once(request: ApiRequest, signal: AbortSignal): Promise<Json | undefined> {
    return this.#places.run(async () => {
      await this.#turn(signal)
      return this.#send(request, signal)
    }, signal)
  }

  /** Waits until the rate permits one more request. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const rate = this.#rate
    if (rate === undefined) return
    for (;;) {
      const now = clock.elapsed()
      const taken = takeToken(this.#bucket ?? fullBucket(rate, now), rate, now)
      this.#bucket = taken.bucket
      if (taken.waitMs === 0) return
      await clock.sleep(taken.waitMs, signal)
    }
  }

  async #send({ method, path, body }: ApiRequest, signal: AbortSignal): Promise<Json | undefined> {
    const { url, token, target, requestMs, send, clock } = this.#options
    const answer = await send(
      {
        method,
        url: url + path,
        headers: {
          authorization: `Token ${token()}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        shown: `InfluxDB at ${url}`,
        limitMs: requestMs,
        limitFrom: `targets.${target}.limits.request`,
        mostBytes: mostAnswerBytes,
      },
      signal,
    ).catch((error: unknown) => {
      throw ofTarget(error)
    })
    const { status, body: text } = answer
    if (status < 200 || status >= 300) throw answerError(answer, { method, path, target, url, now: clock.now() })
    return text === '' ? undefined : parsed(text, { url, target })
  }
}

/**
 * A server that refused for its load did not carry the request out; after other failures that is unknown. Another
 * attempt has the same token.
 */
function mayRepeat({ code }: Unavailable, isRepeatable: boolean): boolean {
  return code === 'influxdb/too-many-requests' || (isRepeatable && code !== 'influxdb/token-refused')
}

function parsed(text: string, { url, target }: Pick<ApiClientOptions, 'url' | 'target'>): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new Unavailable(`The answer of ${url} is not JSON.`, {
      code: 'influxdb/not-json',
      hint: `Check \`targets.${target}.url\` in the configuration file: is it the address of an InfluxDB server?`,
      cause,
    })
  }
}

/** What the network reports is a failure of the target here, and not of a source. */
function ofTarget(error: unknown): unknown {
  if (!(error instanceof SyncError) || !error.code.startsWith('source/')) return error
  const facts = {
    code: error.code.replace('source/', 'influxdb/'),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    cause: error,
  }
  if (error instanceof Rejected) return new Rejected(error.message, facts)
  const retryAfterMs = error instanceof Unavailable ? error.retryAfterMs : undefined
  return new Unavailable(error.message, { ...facts, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}

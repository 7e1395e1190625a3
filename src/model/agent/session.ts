// A session of the page: a browser that is signed in.

export interface Session {
  /** SHA-256 of the value of its cookie, in hex. */
  readonly digest: string
  /** Digest of the API token that it was created with, in hex. Another token ends it. */
  readonly token: string
  /** The person, as they gave their name. It is not authenticated. */
  readonly name: string
  readonly createdAt: number
  /** The last request, to the minute. */
  readonly usedAt: number
}

export const sessionLimits = { idleMs: 12 * 3_600_000, longestMs: 7 * 86_400_000, most: 100 }

/** When a session ends if no further request uses it. */
export function sessionEnd({ createdAt, usedAt }: Session): number {
  return Math.min(usedAt + sessionLimits.idleMs, createdAt + sessionLimits.longestMs)
}

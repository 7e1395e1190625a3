// A token bucket: limits how often something happens, and allows a burst after a pause. Pure; times are milliseconds of
// a monotonic clock.

export interface Bucket {
  readonly tokens: number
  readonly at: number
}

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export function fullBucket({ burst }: Rate, now: number): Bucket {
  return { tokens: burst, at: now }
}

/** Takes a token if there is one; otherwise returns how long to wait for the next. */
export function takeToken(
  bucket: Bucket,
  rate: Rate,
  now: number,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const passedMs = Math.max(0, now - bucket.at)
  const tokens = Math.min(rate.burst, bucket.tokens + (passedMs * rate.perSecond) / 1000)
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, at: now }, waitMs: 0 }
  return { bucket: { tokens, at: now }, waitMs: Math.ceil(((1 - tokens) * 1000) / rate.perSecond) }
}

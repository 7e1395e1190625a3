// Whether a remote tells of its changes by itself, so that it may be looked at less often. Pure. Times are those of `Clock.elapsed`.

/** `quiet`: looks in a row that found nothing. `doubted`: a look found a change that nobody had told of yet. */
export type WebhookProof =
  { readonly kind: 'unproven' } | { readonly kind: 'proven'; readonly quiet: number } | { readonly kind: 'doubted'; readonly since: number }

/** What a look found. `told`: somebody had told of a change of the remote. */
export interface LookFound {
  readonly moved: boolean
  readonly told: boolean
  readonly now: number
}

const graceMs = 60_000
const mostStretchedMs = 600_000

export function nextProof(proof: WebhookProof, { moved, told, now }: LookFound): WebhookProof {
  switch (proof.kind) {
    case 'unproven':
      return moved && told ? { kind: 'proven', quiet: 0 } : proof
    case 'proven':
      if (moved) return told ? { kind: 'proven', quiet: 0 } : { kind: 'doubted', since: now }
      return told ? proof : { kind: 'proven', quiet: proof.quiet + 1 }
    case 'doubted':
      if (now - proof.since > graceMs) return nextProof({ kind: 'unproven' }, { moved, told, now })
      return told ? { kind: 'proven', quiet: 0 } : proof
  }
}

/** The interval, doubled with each look that finds nothing, up to 10 min, where the remote is proven to tell of changes. */
export function stretchedMs(intervalMs: number, proof: WebhookProof): number {
  if (proof.kind !== 'proven') return intervalMs
  return Math.max(intervalMs, Math.min(mostStretchedMs, intervalMs * 2 ** proof.quiet))
}

// Whether a remote tells of its changes by itself, so that it may be looked at less often. Pure. Times are those of
// `Clock.elapsed`.

/**
 * `by`: the webhook that told of a change; `quiet`: looks in a row that found nothing. `doubted`: a look found a change
 * that nobody had told of yet.
 */
export type WebhookProof =
  | { readonly kind: 'unproven' }
  | { readonly kind: 'proven'; readonly by: string; readonly quiet: number }
  | { readonly kind: 'doubted'; readonly since: number }

/** What a look found. `toldBy`: the webhook that had told of a change of the remote. */
export interface PollFound {
  readonly moved: boolean
  readonly notifiedBy: string | undefined
  readonly now: number
}

const graceMs = 60_000
const mostStretchedMs = 600_000

export function nextProof(proof: WebhookProof, { moved, notifiedBy, now }: PollFound): WebhookProof {
  switch (proof.kind) {
    case 'unproven':
      return moved && notifiedBy !== undefined ? { kind: 'proven', by: notifiedBy, quiet: 0 } : proof
    case 'proven':
      if (moved)
        return notifiedBy === undefined ? { kind: 'doubted', since: now } : { kind: 'proven', by: notifiedBy, quiet: 0 }
      return notifiedBy === undefined ? { ...proof, quiet: proof.quiet + 1 } : proof
    case 'doubted':
      if (now - proof.since > graceMs) return nextProof({ kind: 'unproven' }, { moved, notifiedBy, now })
      return notifiedBy === undefined ? proof : { kind: 'proven', by: notifiedBy, quiet: 0 }
  }
}

/**
 * The interval, doubled with each look that finds nothing, up to 10 min, where the remote is proven to tell of changes.
 */
export function stretchedMs(intervalMs: number, proof: WebhookProof): number {
  if (proof.kind !== 'proven') return intervalMs
  return Math.max(intervalMs, Math.min(mostStretchedMs, intervalMs * 2 ** proof.quiet))
}

// Whether a webhook reports the changes of a remote, so that it may be polled less often. Pure. Times are those of
// `Clock.elapsed`.

/**
 * `by`: the webhook that reported a change; `quiet`: polls in a row that found no change. `doubted`: a poll found a
 * change that was not reported.
 */
export type WebhookProof =
  | { readonly kind: 'unproven' }
  | { readonly kind: 'proven'; readonly by: string; readonly quiet: number }
  | { readonly kind: 'doubted'; readonly since: number }

/** The result of a poll. `notifiedBy`: the webhook that reported a change of the remote before it. */
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
 * The polling interval; with a proven webhook, it doubles with each poll that finds no change, up to 10 min.
 */
export function stretchedMs(intervalMs: number, proof: WebhookProof): number {
  if (proof.kind !== 'proven') return intervalMs
  return Math.max(intervalMs, Math.min(mostStretchedMs, intervalMs * 2 ** proof.quiet))
}

// Digests of settings. Each is computed once for the same settings: the store gives them as one object.
import { hash } from 'node:crypto'
import type { Stack, StackSpec } from '../model/stacks/stack.js'
import { memoizeByObject } from '../lib/memoize.js'
import { jsonDigest } from '../plan/digest.js'
import { decidingSettings } from '../settings/stack-settings.js'

/** The digest of all settings. It depends on the order in which they are stored. */
export const specDigest = memoizeByObject((spec: StackSpec) => hash('sha256', JSON.stringify(spec)))

const decidingDigest = memoizeByObject((spec: StackSpec) => jsonDigest(decidingSettings(spec)))

/** The digest of the settings that decide an attempt: after a change of one, gitmoor retries a refused revision. */
export function settingsDigest({ spec }: Pick<Stack, 'spec'>): string {
  return decidingDigest(spec)
}

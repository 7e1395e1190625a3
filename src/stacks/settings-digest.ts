import type { Stack } from '../model/stacks/stack.js'
import { jsonDigest } from '../plan/digest.js'
import { decidingSettings } from '../settings/stack-settings.js'

/** The digest of the settings that decide an attempt: after a change of one, gitmoor retries a refused revision. */
export function settingsDigest({ spec }: Pick<Stack, 'spec'>): string {
  return jsonDigest(decidingSettings(spec))
}

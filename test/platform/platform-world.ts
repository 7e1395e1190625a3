// A platform with two of its targets, for the contract suites.
import type { Kind } from '../../src/model/resources/kind.js'
import type { Connection, Kinds, Platform, Target } from '../../src/platform/platform.js'
import { hasKinds } from '../../src/platform/register-platforms.js'

export interface PlatformWorld {
  readonly platform: Platform
  /** An empty system, except for what the platform makes itself. */
  readonly target: Target
  /** Another system of the platform. */
  readonly other: Target
}

export const never = new AbortController().signal

export interface OpenTarget {
  readonly connection: Connection
  readonly kinds: Kinds
  /** Throws if the target has no such kind. */
  readonly kind: (kind: string, apiVersion: string) => Kind
}

/** Connects to a target. */
export async function openTarget({
  platform,
  target,
}: Pick<PlatformWorld, 'platform' | 'target'>): Promise<OpenTarget> {
  const connection = await platform.connect(target, never)
  const kinds = hasKinds(platform) ? platform : connection.kinds!
  const kind = (name: string, apiVersion: string): Kind => {
    const found = kinds.kind(name, apiVersion)
    if (found === undefined || found === 'version') throw new Error(`The target has no ${apiVersion} ${name}.`)
    return found
  }
  return { connection, kinds, kind }
}

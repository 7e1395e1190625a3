import { HttpPackages, type HttpPackagesOptions } from '../../src/source/url/http-packages.js'
import { openAccess, type AccessOptions } from './access.js'
import type { RemoteLimits } from '../../src/source/remote-packages.js'

export const REMOTE_LIMITS: RemoteLimits = { remoteMs: 60_000, remoteBytes: 2 * 1024 * 1024, remoteRedirects: 5 }

/** Those of an agent that reaches nothing inward. */
export function openRemotes(
  options: Partial<HttpPackagesOptions> & AccessOptions = {},
): HttpPackages & AsyncDisposable {
  const access = openAccess(options)
  const remotes = new HttpPackages({ limits: REMOTE_LIMITS, networks: [], access, ...options })
  return Object.assign(remotes, { [Symbol.asyncDispose]: () => access[Symbol.asyncDispose]() })
}

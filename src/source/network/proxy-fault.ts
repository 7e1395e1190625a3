// What it means where a proxy does not let a request through, as an error of ours.
import { Rejected, SyncError, Unavailable } from '../../model/errors.js'

/** For https and for http. */
const asUndiciSays = /^Proxy (?:response|Authentication Required) \((\d{3})\)/

/** Undefined: the failure is another. `named`: what was asked for, and the proxy. */
export function proxyFault(named: string, error: unknown): SyncError | undefined {
  const [, status] = asUndiciSays.exec(error instanceof Error ? error.message : '') ?? []
  return status === undefined ? undefined : proxyRefused(named, Number(status))
}

export function proxyRefused(named: string, status: number): SyncError {
  const says = `${named} could not be reached: the proxy answered ${status}`
  if (status === 407)
    return new Rejected(`${says}: it wants another user or password.`, {
      code: 'source/proxy',
      hint: 'Give "proxyUsername" and "proxyPassword" of an entry under connections in the configuration file.',
    })
  if (status < 500)
    return new Rejected(`${says}: it does not let this through.`, {
      code: 'source/proxy',
      hint: 'Let the proxy allow that host and port, or say "proxy: none" for the address under connections in the configuration file.',
    })
  return new Unavailable(`${says}.`, {
    code: 'source/proxy',
    hint: 'gitmoor tries again by itself. Does the proxy reach that host?',
  })
}

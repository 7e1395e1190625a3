import { ok, problem, warning, type Check } from '../../model/agent/check.js'
import { describeError } from '../../model/errors.js'
import { certificatesOf, readTlsTexts, type Certificates, type HostConnection } from './connection.js'

const soonMs = 14 * 86_400_000

/** Checks each entry of `connections`: its files, and when its certificates expire. Does not connect. */
export function connectionChecks(connections: readonly HostConnection[], now: number): readonly Check[] {
  return connections.map((connection) => check(connection, now))
}

function check(connection: HostConnection, now: number): Check {
  const name = `connection ${connection.name}`
  try {
    const until = earliestExpiry(certificatesOf(connection, readTlsTexts(connection)))
    if (until === undefined) return ok(name, `for ${connection.match}`)
    const next = 'Renew its files; gitmoor reads them again automatically.'
    const ends = new Date(until).toISOString().slice(0, 10)
    if (until <= now) return problem(name, `One of its certificates expired on ${ends}.`, next)
    if (until <= now + soonMs) return warning(name, `One of its certificates expires on ${ends}.`, next)
    return ok(name, `for ${connection.match}, certificates valid until ${ends}`)
  } catch (error) {
    return problem(name, describeError(error), 'See "connections" in the configuration file.')
  }
}

/**
 * When the first of its own certificates expires, or the last certificate of the authorities, of which one is enough.
 * Undefined: there are none.
 */
function earliestExpiry({ own, authorities }: Certificates): number | undefined {
  const ends = (some: Certificates['own']): readonly number[] => some.map(({ validTo }) => Date.parse(validTo))
  const both = [...ends(own), ...(authorities.length === 0 ? [] : [Math.max(...ends(authorities))])]
  return both.length === 0 ? undefined : Math.min(...both)
}

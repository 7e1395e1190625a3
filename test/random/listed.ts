import type { Connection, ListedResource } from '../../src/platform/platform.js'

/** Everything on the target, in an order that does not depend on ids. */
export async function listed(connection: Connection, signal: AbortSignal): Promise<readonly ListedResource[]> {
  const resources = await connection.list({ limit: 500 }, signal)
  const lives = new Map<string, string>(
    resources.map(({ observed }) => [observed.identity, JSON.stringify(observed.actual)]),
  )
  const place = ({ family, observed }: ListedResource): string => {
    const ends = observed.identity.split('/').map((id) => lives.get(id) ?? lives.get(observed.identity))
    return `${family} ${ends.join(' ')}`
  }
  return [...resources].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

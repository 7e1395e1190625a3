import type { Connection, Listing } from '../../src/platform/platform.js'

/** Everything on the target, in an order that does not hang on ids. */
export async function listed(connection: Connection, signal: AbortSignal): Promise<readonly Listing[]> {
  const things = await connection.list({ limit: 500 }, signal)
  const lives = new Map<string, string>(
    things.map(({ observed }) => [observed.identity, JSON.stringify(observed.live)]),
  )
  const place = ({ family, observed }: Listing): string => {
    const ends = observed.identity.split('/').map((id) => lives.get(id) ?? lives.get(observed.identity))
    return `${family} ${ends.join(' ')}`
  }
  return [...things].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

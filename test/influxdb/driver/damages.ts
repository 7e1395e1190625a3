// What people change by hand on a real server.
import { ask, type TestServer } from './server.js'

/** A request that must succeed; the path is below `/api/v2`. */
export type Call = (method: string, path: string, body?: object) => Promise<any>

export interface Damage {
  /** What it does, in words. */
  readonly what: string
  /** The kind of resource, by its path. */
  readonly to: string
  /** Changes the resource. False: nothing of it can be changed so. */
  readonly make: (call: Call, id: string) => Promise<boolean>
  /** The resource is made again, with another id. */
  readonly isMadeAgain?: true
}

export function callsTo(server: TestServer): Call {
  return async (method, path, body) => {
    const { status, body: answer } = await ask(server, method, `/api/v2${path}`, body as never)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer as unknown
  }
}

interface Cell {
  readonly id: string
}

interface Owned {
  readonly id: string
  readonly orgID: string
  readonly name: string
}

export const damages: readonly Damage[] = [
  deleted('a dashboard', 'dashboards'),
  {
    what: 'a cell is deleted',
    to: 'dashboards',
    make: (call, id) =>
      withCells(call, id, async ([cell]) => {
        await call('DELETE', `/dashboards/${id}/cells/${cell.id}`)
      }),
  },
  {
    what: 'a cell is moved',
    to: 'dashboards',
    make: (call, id) =>
      withCells(call, id, async (cells) => {
        await call('PATCH', `/dashboards/${id}/cells/${cells.at(-1)!.id}`, { x: 9, y: 55, w: 2, h: 2 })
      }),
  },
  {
    what: 'a label is taken from a resource',
    to: 'dashboards',
    make: async (call, id) => {
      const { labels } = await call('GET', `/dashboards/${id}`)
      const [label] = labels as readonly Cell[]
      if (label !== undefined) await call('DELETE', `/dashboards/${id}/labels/${label.id}`)
      return label !== undefined
    },
  },
  changed('a bucket is renamed', 'buckets', () => ({ name: 'cooked' })),
  changed('a retention is changed', 'buckets', () => ({
    retentionRules: [{ type: 'expire', everySeconds: 864_000, shardGroupDurationSeconds: 86_400 }],
  })),
  changed('a label has another color', 'labels', () => ({ properties: { color: '#123456' } })),
  changed('a task is switched on or off', 'tasks', ({ status }) => ({
    status: status === 'active' ? 'inactive' : 'active',
  })),
  changed('the values of a variable change', 'variables', () => ({
    arguments: { type: 'constant', values: ['other'] },
  })),
  {
    what: 'a Telegraf configuration changes',
    to: 'telegrafs',
    make: async (call, id) => {
      const { configurations } = await call('GET', '/telegrafs')
      const { orgID, name } = (configurations as readonly Owned[]).find((one) => one.id === id)!
      const config = '[agent]\n  interval = "99s"\n'
      await call('PUT', `/telegrafs/${id}`, { orgID, name, metadata: { buckets: [] }, config })
      return true
    },
  },
  deleted('an endpoint', 'notificationEndpoints'),
  deleted('a check', 'checks'),
]

function changed(what: string, to: string, bodyOf: (now: Readonly<Record<string, unknown>>) => object): Damage {
  return {
    what,
    to,
    make: async (call, id) => {
      await call('PATCH', `/${to}/${id}`, bodyOf(await call('GET', `/${to}/${id}`)))
      return true
    },
  }
}

function deleted(subject: string, to: string): Damage {
  return {
    what: `${subject} is deleted`,
    to,
    isMadeAgain: true,
    make: async (call, id) => {
      await call('DELETE', `/${to}/${id}`)
      return true
    },
  }
}

async function withCells(
  call: Call,
  id: string,
  work: (cells: readonly [Cell, ...Cell[]]) => Promise<void>,
): Promise<boolean> {
  const { cells } = (await call('GET', `/dashboards/${id}`)) as { cells: readonly Cell[] }
  const [first, ...rest] = cells
  if (first === undefined) return false
  await work([first, ...rest])
  return true
}

// Cursors of lists, of a running agent.
import { describe, expect, test } from 'vitest'
import { label, yaml } from '../../e2e/packages.js'
import { useSharedWorld } from '../../e2e/world.js'
import { openDoor, type Answer } from '../request-api.js'

const world = useSharedWorld(async (own) => {
  await own.push(yaml(label('red'), label('blue')), 'stable', 'beta')
  await own.create('boards', { ref: 'stable' })
  await own.create('others', { ref: 'beta', target: 'other' })
  await own.sync('boards')
})

const list = (path: string): Promise<Answer> => openDoor({}, { call: world().call }).request('GET', `/api/v1/${path}`)

const lists = [
  'stacks',
  'stacks?sort=-createdAt',
  'stacks/boards/runs',
  'runs',
  'runs?selector=!team',
  'stacks/boards/explain/resources',
  'channels',
  'channels/moves?channel=stable',
  'channels/decisions?channel=stable',
  'targets',
  'webhooks',
  'deliveries',
  'messages',
  'receivers',
  'resources',
  'resources?stack=boards',
]

const after = (path: string, cursor: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(cursor)}`

describe.each(lists)('a page of %s', (path) => {
  test.each(['zzz', '12', 'boards', '%00', 'AAAAAAAAAAAA', 'Bucket/raw'])(
    'after the invalid cursor %s is refused',
    async (cursor) => {
      const { status, body } = await list(after(path, cursor))
      expect(status).toBe(400)
      expect(body.error).toMatchObject({ status: 'usage', code: 'stacks/invalid-cursor' })
    },
  )
})

/** Lists that have two entries here. */
const long = [
  'stacks',
  'stacks?sort=-createdAt',
  'stacks/boards/runs',
  'runs',
  'runs?selector=!team',
  'stacks/boards/explain/resources',
  'channels',
]

describe.each(long)('the cursor of %s', (path) => {
  const first = async (): Promise<{ readonly first: unknown; readonly next: string }> => {
    const { body } = await list(`${path}${path.includes('?') ? '&' : '?'}limit=1`)
    return { first: body.items[0], next: body.next }
  }

  test('continues the list', async () => {
    const page = await first()
    const { status, body } = await list(after(path, page.next))
    expect(status).toBe(200)
    expect(body.items).not.toHaveLength(0)
    expect(body.items).not.toContainEqual(page.first)
  })

  test('is refused by every other list', async () => {
    const { next } = await first()
    for (const other of lists.filter((one) => one !== path)) {
      const { status, body } = await list(after(other, next))
      expect([other, status, body.error?.code]).toEqual([other, 400, 'stacks/invalid-cursor'])
    }
  })

  test('is refused when a character is changed', async () => {
    const { next } = await first()
    const changed = `${next.startsWith('A') ? 'B' : 'A'}${next.slice(1)}`
    expect((await list(after(path, changed))).status).toBe(400)
  })
})

test('a cursor is refused with another filter', async () => {
  const { body } = await list('stacks?limit=1&suspended=false')
  expect((await list(after('stacks?suspended=true', body.next))).status).toBe(400)
  expect((await list(after('stacks?suspended=false&limit=5', body.next))).status).toBe(200)
})

describe('a boolean of a query', () => {
  test.each(['1', 'yes', 'TRUE', '', 'false,true'])('is not %j', async (word) => {
    const { status, body } = await list(`stacks?suspended=${word}`)
    expect(status).toBe(400)
    expect(body.error.problems).toMatchObject([{ field: 'suspended' }])
  })

  test.each(['true', 'false'])('is %s', async (word) => {
    expect((await list(`stacks?suspended=${word}`)).status).toBe(200)
  })
})

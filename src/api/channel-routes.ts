import { z } from '@hono/zod-openapi'
import type { Verbs } from '../stacks/verbs.js'
import { addEndpoint, type Api } from './endpoint.js'
import { list, page, pagingOf, pagingShape } from './list-schema.js'
import { time } from './run-schema.js'

const tag = 'channels'

export const channelSchema = z
  .object({
    name: z.string(),
    remote: z.string(),
    ref: z.string(),
    commit: z.string().nullable(),
    tag: z.string().nullable().openapi({ description: 'The one that was chosen where the ref is a range of versions.' }),
    stacks: list(z.string()),
    seenAt: time,
  })
  .openapi('Channel')

const endSchema = z.object({ object: z.string(), commit: z.string(), tag: z.string().optional() }).nullable()

export const moveSchema = z
  .object({ id: z.string(), from: endSchema, to: endSchema, seenAt: time, learnt: z.string() })
  .openapi('ChannelMove', {
    description:
      '`object`: the tag object where the tag is annotated, else the commit. `tag`: the one that was chosen where the ref is a range of versions. null: the ref was not there.',
  })

export function addChannelRoutes(api: Api, verbs: Verbs): void {
  const about = { method: 'get', tag } as const
  const channels = { ...about, path: '/api/v1/channels', summary: 'The refs that stacks follow.', query: z.object(pagingShape) } as const
  addEndpoint(api, { ...channels, answer: page(channelSchema) }, ({ query }) => verbs.channels(pagingOf(query)))

  const channel = z.string().min(1).max(2_500).openapi({ description: '`REMOTE#REF`, or `REF` alone where it is unique.' })
  const moves = { ...about, path: '/api/v1/channels/moves', summary: 'When a channel moved, newest first.' } as const
  addEndpoint(api, { ...moves, query: z.object({ channel, ...pagingShape }), answer: page(moveSchema) }, ({ query }) =>
    verbs.moves(query.channel, pagingOf(query)),
  )
}

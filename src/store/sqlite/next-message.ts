import { sql, type RawBuilder } from 'kysely'

/**
 * The pending message of a receiver that is due first. Two notifications that share a stack are sent in their order: of
 * one with as many stored transitions as there may be, not all stacks are known, so it shares one with every other.
 * `begun`: only statuses, and notifications that were tried before.
 */
export function nextMessage<Row>(
  receiver: string,
  { begun, transitions }: { readonly begun: boolean; readonly transitions: number },
): RawBuilder<Row> {
  return sql<Row>`
    select * from messages m where receiver = ${receiver} and state = 'pending' and (
      kind <> 'notification' or (attempts >= ${Number(begun)} and not exists (
        select 1 from messages o
        where o.receiver = ${receiver} and o.state = 'pending' and o.kind = 'notification' and o.id < m.id and (
          (select count(*) from transitions where message = m.id) >= ${transitions}
          or (select count(*) from transitions where message = o.id) >= ${transitions}
          or exists (
            select 1 from transitions where message = m.id and transition ->> 'stack' in (
              select transition ->> 'stack' from transitions where message = o.id
            )
          )
        )
      ))
    ) order by due_at, id limit 1`
}

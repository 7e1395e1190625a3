// Actions on several stacks.
import type { BulkResult } from '../../src/views/bulk.js'
import { resumeStack, start, suspendStack, syncStack, type Action } from '../actions.js'
import { call } from '../data/call.js'
import { counted } from '../lib/text.js'

interface BulkView {
  readonly items: readonly BulkResult[]
}

/** `clear`: ends the selection. */
export function Selection({ names, clear }: { readonly names: readonly string[]; readonly clear: () => void }) {
  const all = (of: (name: string) => Action, verb: string): void => {
    const actions = names.map(of)
    start({
      label: verb,
      cli: actions.map(({ cli }) => cli).join('\n'),
      question: {
        ...(actions[0]!.question ?? { text: names.join(', ') }),
        title: `${verb} ${counted(names.length, 'stack')}?`,
      },
      perform: async (why) => {
        const body = { verb: verb.toLowerCase(), names, ...(why !== '' && { why }) }
        const { items } = await call<BulkView>('POST', 'bulk', body)
        const refused = items.filter(({ error }) => error !== null)
        if (refused.length > 0)
          throw new Error(refused.map(({ name, error }) => `${name}: ${error!.message}`).join(' '))
        clear()
      },
      done: `${verb}: ${counted(names.length, 'stack')}.`,
    })
  }
  return (
    <div class="selection" role="group" aria-label="Selected stacks">
      <b>{counted(names.length, 'stack')}</b>
      <button type="button" class="btn" onClick={() => all(syncStack, 'Sync')}>
        Sync
      </button>
      <button type="button" class="btn" onClick={() => all(suspendStack, 'Suspend')}>
        Suspend
      </button>
      <button type="button" class="btn" onClick={() => all(resumeStack, 'Resume')}>
        Resume
      </button>
      <button type="button" class="btn ghost" onClick={clear}>
        Clear
      </button>
    </div>
  )
}

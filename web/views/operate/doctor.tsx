// Is the agent healthy?
import { useRead } from '../../data/read.js'
import type { Diagnosis } from '../../data/types.js'
import { counted, tidy } from '../../lib/text.js'
import { Cli, Clis } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Loaded } from '../../parts/section.js'

const order = ['problem', 'warning', 'skipped', 'ok'] as const
const keys = { problem: 'failed', warning: 'approval', skipped: 'unknown', ok: 'synced' }

/** What to do: a line for each step, `PURPOSE: COMMAND`. */
function Next({ text }: { readonly text: string }) {
  return (
    <ul class="next-steps">
      {text.split('\n').map((line) => {
        const [, purpose = line, cli] = /^(?:(.*): )?(gitmoor .*)$/.exec(line) ?? []
        return (
          <li key={line}>
            {cli !== line && <span class="dim">{purpose}</span>}
            {cli !== undefined && <Cli text={cli} />}
          </li>
        )
      })}
    </ul>
  )
}

export function Doctor() {
  const read = useRead<Diagnosis>('doctor', ({ reset }) => reset)
  return (
    <Loaded read={read} rows={8} what="the diagnosis">
      {({ checks, worst }) => {
        const count = (state: (typeof order)[number]): number => checks.filter((check) => check.state === state).length
        const sorted = [...checks].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
        return (
          <>
            <header class="top">
              <div>
                <h1>
                  {worst === 'ok' ? (
                    'No problems'
                  ) : (
                    <em class={`s-${keys[worst]}`}>
                      {worst === 'problem'
                        ? counted(count('problem'), 'problem')
                        : counted(count('warning'), 'warning')}
                    </em>
                  )}
                </h1>
                <p class="sub">
                  {counted(checks.length, 'check')}: {count('ok')} passed, {counted(count('warning'), 'warning')},{' '}
                  {count('skipped')} skipped.
                </p>
              </div>
              <button type="button" class="btn" onClick={() => void read.again()}>
                <Icon name="retry" />
                Check again
              </button>
            </header>
            <ul class="runs box">
              {sorted.map(({ name, state, message, next }) => (
                <li key={name}>
                  <span class={`dot s-${keys[state]}`}>
                    <Icon name={keys[state]} title={state} />
                  </span>
                  <div>
                    <p>
                      <b>{name}</b>
                    </p>
                    <p>{tidy(message)}</p>
                    {next !== undefined && <Next text={next} />}
                  </div>
                </li>
              ))}
            </ul>
            <Clis of={['gitmoor doctor']} />
          </>
        )
      }}
    </Loaded>
  )
}

// How is the agent configured? Sessions and the appearance.
import { useState } from 'preact/hooks'
import type { SignInView } from '../../../src/views/session.js'
import { message } from '../../actions.js'
import { call, signIn, signOut } from '../../data/call.js'
import { useRead } from '../../data/read.js'
import type { Diagnosis } from '../../data/types.js'
import { Clis, Empty, Fact, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Loaded, Section } from '../../parts/section.js'
import { chooseTheme, chosenTheme, themes, type Theme } from '../../theme.js'

export function Settings() {
  const doctor = useRead<Diagnosis>('doctor', ({ reset }) => reset)
  return (
    <>
      <header class="top">
        <h1>Settings</h1>
      </header>
      <div class="stacked">
        <Section id="configuration" title="Configuration">
          <Loaded read={doctor} rows={2} what="the configuration">
            {({ configuration }) =>
              configuration === undefined ? (
                <Empty>No agent runs.</Empty>
              ) : (
                <Configuration configuration={configuration} />
              )
            }
          </Loaded>
        </Section>
        <Appearance />
        <Sessions />
      </div>
    </>
  )
}

function Configuration({ configuration }: { readonly configuration: NonNullable<Diagnosis['configuration']> }) {
  const { file, loadedAt, refused, needsRestart, refusedStacks } = configuration
  const problems = [...(refused?.problems ?? []), ...refusedStacks]
  return (
    <>
      {refused !== null && (
        <div class="call s-failed">
          <Icon name="failed" size={18} />
          <div>
            The last reload was refused <Time at={refused.at} />. The former configuration is in use.
          </div>
        </div>
      )}
      <dl class="facts-list">
        <Fact name="File">{file === null ? 'none: all defaults' : <code>{file}</code>}</Fact>
        <Fact name="Read">
          <Time at={loadedAt} />
        </Fact>
        <Fact name="Needs a restart">{needsRestart.length === 0 ? 'nothing' : needsRestart.join(', ')}</Fact>
      </dl>
      {problems.length > 0 && (
        <ul class="problems box">
          {problems.map(({ message: text, place, hint }) => (
            <li key={text} class="s-failed">
              {place !== undefined && (
                <code class="place">
                  {place.file}:{place.line}
                </code>
              )}{' '}
              {text}
              {hint !== undefined && <p class="dim">{hint}</p>}
            </li>
          ))}
        </ul>
      )}
      {file !== null && <Clis of={[`gitmoor config check ${file}`]} />}
    </>
  )
}

const themeNames: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

function Appearance() {
  const [theme, setTheme] = useState(chosenTheme())
  return (
    <Section id="appearance" title="Appearance">
      <div class="tabs" role="group" aria-labelledby="appearance">
        {themes.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === theme}
            onClick={() => {
              chooseTheme(one)
              setTheme(one)
            }}
          >
            {themeNames[one]}
          </button>
        ))}
      </div>
    </Section>
  )
}

function Sessions() {
  const { session = null, sessions = [] } = signIn.value ?? {}
  const end = (id: string): void => {
    call<SignInView>('DELETE', `session?id=${id}`).then(
      (view) => (signIn.value = view),
      (error: Error) => (message.value = { text: error.message }),
    )
  }
  return (
    <Section id="sessions" title="Sessions" count={sessions.length}>
      <ul class="runs box">
        {sessions.map(({ id, name, createdAt, usedAt }) => (
          <li key={id}>
            <span class="dot">
              <Icon name="person" />
            </span>
            <div>
              <p>
                <b>{name}</b> {id === session?.id && <span class="chip s-synced">this browser</span>}
              </p>
              <p class="dim">
                signed in <Time at={createdAt} />, last used <Time at={usedAt} />
              </p>
            </div>
            <div class="right">
              <button type="button" class="btn" onClick={() => (id === session?.id ? void signOut() : end(id))}>
                {id === session?.id ? 'Sign out' : 'End'}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}

// How is the agent configured? Sessions and the appearance.
import { useState } from 'preact/hooks'
import type { SignInView } from '../../../src/views/session.js'
import { message } from '../../actions.js'
import { call, signIn, signOut } from '../../data/call.js'
import { Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Section } from '../../parts/section.js'
import { Configuration } from './configuration.js'
import { chooseTheme, chosenTheme, themes, type Theme } from '../../theme.js'

export function Settings() {
  return (
    <>
      <header class="top">
        <h1>Settings</h1>
      </header>
      <div class="stacked">
        <Appearance />
        <Sessions />
        <Section id="configuration" title="Configuration">
          <Configuration />
        </Section>
      </div>
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

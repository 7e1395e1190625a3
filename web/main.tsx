// The page: signs in, then shows the view of the address.
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import type { SignInView } from '../src/views/session.js'
import { call, signIn } from './data/call.js'
import { listen } from './data/events.js'
import { SignIn } from './sign-in.js'
import { Shell } from './shell.js'
import { applyTheme } from './theme.js'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/dialogs.css'
import './style/parts.css'
import './style/layout.css'
import './style/lists.css'
import './style/stack-table.css'
import './style/overview.css'
import './style/versions.css'
import './style/stack.css'
import './style/graph.css'
import './style/plan.css'
import './style/channels.css'
import './style/touch.css'

const root = document.getElementById('app')!

function App() {
  const isSignedIn = signIn.value?.session !== null && signIn.value !== undefined
  useEffect(() => {
    root.classList.toggle('alone', !isSignedIn)
    if (isSignedIn) listen(signIn.value?.lastEventId)
  }, [isSignedIn])
  if (signIn.value === undefined) return null
  return isSignedIn ? <Shell /> : <SignIn />
}

applyTheme()
signIn.value = await call<SignInView>('GET', 'session').catch(() => ({ session: null }))
render(<App />, root)

// The page: signs in, then shows the view of the address.
import { signal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import type { SignInView } from '../src/views/session.js'
import { call, CallError, isSessionEnded, signIn } from './data/call.js'
import { listen } from './data/events.js'
import { retryMs } from './data/read.js'
import { address, go } from './lib/route.js'
import { SignIn, SignInAgain } from './sign-in.js'
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
  if (signIn.value === undefined) return isUnreachable.value ? <Unreachable /> : null
  if (!isSignedIn) return <SignIn />
  return (
    <>
      <Shell />
      {isSessionEnded.value && <SignInAgain />}
    </>
  )
}

const isUnreachable = signal(false)

function Unreachable() {
  return (
    <main class="sign-in">
      <div class="call s-failed" role="status">
        <div>
          <p>
            <b>The agent does not answer.</b>
          </p>
          <p>The page tries again every {retryMs / 1000} s.</p>
        </div>
        <button type="button" class="btn" onClick={() => void readSession()}>
          Retry now
        </button>
      </div>
    </main>
  )
}

let retry: ReturnType<typeof setTimeout> | undefined

/** Without an answer it is not known whether a session exists: it is asked again. */
async function readSession(): Promise<void> {
  clearTimeout(retry)
  try {
    const view = await call<SignInView>('GET', 'session')
    if (view.session !== null && address.value.startsWith('/sign-in')) go('/', { replace: true })
    signIn.value = view
  } catch (error) {
    isUnreachable.value = error instanceof CallError && error.isPassing
    if (isUnreachable.value) retry = setTimeout(() => void readSession(), retryMs)
    else signIn.value = { session: null }
  }
}

applyTheme()
render(<App />, root)
void readSession()

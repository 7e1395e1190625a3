import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { SignInView } from '../src/views/session.js'
import { call, CallError, signIn } from './data/call.js'
import { address, go } from './lib/route.js'
import { Cli } from './parts/basics.js'

const nameKey = 'gitmoor-name'

/** The code of `gitmoor page`, in the fragment: servers and logs never see it. */
function codeInAddress(): string | undefined {
  return /^#code=([\w-]+)$/.exec(location.hash)?.[1]
}

export function SignIn() {
  const [token, setToken] = useState('')
  const [name, setName] = useState(localStorage.getItem(nameKey) ?? '')
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const enter = async (proof: object): Promise<void> => {
    setBusy(true)
    try {
      if (!('code' in proof)) localStorage.setItem(nameKey, name) // a code has the name of its creator
      const view = await call<SignInView>('POST', 'session', {
        ...proof,
        ...(name.trim() !== '' && !('code' in proof) && { name: name.trim() }),
      })
      if (address.value.startsWith('/sign-in')) go('/', { replace: true })
      signIn.value = view
    } catch (failure) {
      setError(sentence(failure as CallError))
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = 'Sign in – gitmoor'
    const code = codeInAddress()
    if (code === undefined) return
    history.replaceState({}, '', location.pathname)
    void enter({ code })
  }, [])
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    void enter({ token: token.trim() })
  }
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>
          <img src="/icon.svg" alt="" width="32" height="32" /> gitmoor
        </h1>
        <label>
          Token
          <input
            class="field"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <label>
          Your name, for the history
          <input
            class="field"
            autocomplete="username"
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {error !== '' && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        <button class="btn primary" disabled={isBusy} aria-busy={isBusy}>
          Sign in
        </button>
        <p class="dim">Or, where the command line works, open the page signed in:</p>
        <Cli text="gitmoor page" />
      </form>
    </main>
  )
}

function sentence({ http, message, retryAfterS }: CallError): string {
  if (http === 429) return `Too many attempts. Try again in ${retryAfterS} s.`
  return message
}

// Signing in: a view, or a dialog over the view if a session ends; what is typed there stays.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { SignInView } from '../src/views/session.js'
import { call, CallError, isSessionEnded, signIn } from './data/call.js'
import { readAll } from './data/events.js'
import { useModal } from './lib/modal.js'
import { address, go } from './lib/route.js'
import { Cli } from './parts/basics.js'
import { Logo } from './parts/icon.js'

const nameKey = 'gitmoor-name'

/** The code of `gitmoor page`, in the fragment: servers and logs never see it. It leaves the address. */
function takeCode(): string | undefined {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState({}, '', location.pathname + location.search)
  return code
}

function Form({ reason }: { readonly reason?: string }) {
  const [token, setToken] = useState('')
  const [name, setName] = useState(localStorage.getItem(nameKey) ?? '')
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const enter = async (proof: object, by?: string): Promise<void> => {
    setBusy(true)
    setError('')
    try {
      if (by !== undefined) localStorage.setItem(nameKey, by)
      const named = by !== undefined && by.trim() !== '' && { name: by.trim() }
      const view = await call<SignInView>('POST', 'session', { ...proof, ...named })
      if (address.value.startsWith('/sign-in')) go('/', { replace: true })
      signIn.value = view
      isSessionEnded.value = false
      readAll()
    } catch (failure) {
      setError(sentence(failure as CallError))
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = 'Sign in – gitmoor'
    const useCode = (): void => {
      const code = takeCode()
      if (code !== undefined) void enter({ code }) // it has the name of its creator
    }
    useCode()
    addEventListener('hashchange', useCode)
    return () => removeEventListener('hashchange', useCode)
  }, [])
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    void enter({ token: token.trim() }, name)
  }
  return (
    <form onSubmit={submit}>
      <h1 id="sign-in-title">
        <Logo size={32} /> gitmoor
      </h1>
      {reason !== undefined && <p>{reason}</p>}
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
  )
}

export function SignIn() {
  return (
    <main class="sign-in">
      <Form />
    </main>
  )
}

/** Over the view. It ends only by signing in. */
export function SignInAgain() {
  const dialog = useModal()
  return (
    <dialog
      ref={dialog}
      class="sign-in"
      aria-labelledby="sign-in-title"
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <Form reason="Your session ended. Sign in again: what you typed is still there." />
    </dialog>
  )
}

function sentence({ http, message, retryAfterS }: CallError): string {
  if (http === 429) return `Too many attempts. Try again in ${retryAfterS} s.`
  return message
}

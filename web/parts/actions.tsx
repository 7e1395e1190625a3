// Buttons of actions, the dialog that asks before one, and the message after it.
import { useEffect, useState } from 'preact/hooks'
import type { JSX } from 'preact'
import { asked, busy, message, perform, performAtOnce, start, type Action } from '../actions.js'
import { useModal } from '../lib/modal.js'
import { withReason } from '../lib/text.js'
import { Cli } from './basics.js'
import { EffectText, useEffectOf } from './effect.js'
import { Icon } from './icon.js'

interface ActionButtonProps {
  readonly action: Action
  readonly class?: string
  readonly icon?: string
  /** Says which item it is about, if the text of the button does not. */
  readonly about?: string
}

export function ActionButton({ action, class: more = '', icon, about }: ActionButtonProps) {
  const isBusy = busy.value.has(action.cli)
  return (
    <button
      type="button"
      class={`btn ${more}`}
      aria-busy={isBusy}
      disabled={isBusy}
      aria-label={about === undefined ? undefined : `${action.label}: ${about}`}
      title={action.cli}
      data-cli={action.cli}
      onClick={() => start(action)}
    >
      {icon !== undefined && <Icon name={icon} />}
      {action.label}
    </button>
  )
}

/** Shows the question of an action until it is answered. */
export function Confirm() {
  const action = asked.value
  return action === undefined ? null : <ConfirmDialog key={action.cli} action={action} />
}

function ConfirmDialog({ action }: { readonly action: Action }) {
  const dialog = useModal()
  const [why, setWhy] = useState('')
  const [error, setError] = useState('')
  const { title, text, effect, why: asks, isDangerous = false } = action.question!
  const read = useEffectOf(effect)
  const close = (): void => void (asked.value = undefined)
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    perform(action, why).then(close, (failure: Error) => setError(failure.message))
  }
  const isBusy = busy.value.has(action.cli)
  const isDisabled = isBusy || read.isReading || read.isRefused
  return (
    <dialog ref={dialog} class="confirm" onClose={close} aria-labelledby="confirm-title">
      <form method="dialog" onSubmit={submit}>
        <h2 id="confirm-title">{title}</h2>
        <p>{text}</p>
        <EffectText of={read} />
        {asks !== undefined && (
          <label>
            Reason{asks === 'optional' && ' (optional)'}
            <textarea
              class="field"
              autofocus
              required={asks === 'required'}
              maxLength={1_000}
              value={why}
              onInput={(event) => setWhy(event.currentTarget.value)}
            />
          </label>
        )}
        {error !== '' && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        <div>
          <Cli text={withReason(action.cli, why)} />
        </div>
        <div class="actions">
          <button type="button" class="btn" onClick={close}>
            Not now
          </button>
          <button class={`btn ${isDangerous ? 'danger' : 'primary'}`} disabled={isDisabled} aria-busy={isBusy}>
            {action.label}
          </button>
        </div>
      </form>
    </dialog>
  )
}

const shownMs = 6_000

/** The result of the last action, with Undo. */
export function Toast() {
  const { value } = message
  useEffect(() => {
    if (value === undefined) return
    const timer = setTimeout(() => (message.value = undefined), shownMs)
    return () => clearTimeout(timer)
  }, [value])
  return (
    <div role="status" aria-live="polite">
      {value !== undefined && (
        <div class="toast">
          <span>{value.text}</span>
          {value.undo !== undefined && (
            <button type="button" onClick={() => performAtOnce(value.undo!, 'undone on the page')}>
              Undo
            </button>
          )}
        </div>
      )}
    </div>
  )
}

import { useModal } from './lib/modal.js'
import { navigation } from './navigation.js'

const keys: readonly (readonly [string, string])[] = [
  ['/', 'Search or act (also Ctrl K)'],
  ...navigation.map(({ key, name }) => [`g ${key}`, name] as const),
  ['j k', 'Next and previous entry'],
  ['Enter', 'Open the entry'],
  ['s', 'Sync this stack'],
  ['a', 'Approve this plan'],
  ['c', 'Copy the command line of the focused button'],
  ['Esc', 'Close what is open'],
]

/** The keys, on `?`. */
export function KeyHelp({ close }: { readonly close: () => void }) {
  const dialog = useModal()
  return (
    <dialog ref={dialog} class="confirm" onClose={close} aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">Keys</h2>
        <dl class="help-keys">
          {keys.map(([key, what]) => (
            <>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
        <div class="actions">
          <button class="btn">Close</button>
        </div>
      </form>
    </dialog>
  )
}

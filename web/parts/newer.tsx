// A list that keeps its order while a person is in it, and offers to sort again.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.js'

interface HeldProps {
  /** How many entries are not in the list, or not in their place. */
  readonly newer: number
  readonly sortAgain: () => Promise<void>
  /** A reason of the view to keep the order, such as a selection. */
  readonly isKept: boolean
  readonly onHold: (isHeld: boolean) => void
  readonly children: ComponentChildren
}

export function Held({ newer, sortAgain, isKept, onHold, children }: HeldProps) {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHeld = isPointed || isFocused || isKept
  const show = (): void => {
    // The button goes away: the focus leaves the list before.
    document.querySelector('main')?.focus({ preventScroll: true })
    void sortAgain().then(() => scrollTo(0, 0))
  }
  useEffect(() => onHold(isHeld), [isHeld, onHold])
  return (
    <div
      class="held"
      onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={({ currentTarget, relatedTarget }) =>
        setFocused(currentTarget.contains(relatedTarget as Node | null))
      }
    >
      {newer > 0 && (
        <div class="newer" role="status">
          <button type="button" class="btn primary" onClick={show}>
            <Icon name="retry" />
            {newer.toLocaleString()} newer
          </button>
        </div>
      )}
      {children}
    </div>
  )
}

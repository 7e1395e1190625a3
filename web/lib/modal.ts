import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Opens a dialog over the view at once, so that Escape finds it. When it is gone, the element that had the focus before
 * has it, else the view.
 */
export function useModal(): RefObject<HTMLDialogElement> {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { activeElement: before } = document
    dialog.current?.showModal()
    return () => void setTimeout(() => giveFocusBack(before))
  }, [])
  return dialog
}

function giveFocusBack(before: Element | null): void {
  if (document.activeElement !== document.body) return // another dialog, or the next view, has it
  const isThere = before !== document.body && before?.isConnected === true
  const to = isThere ? (before as HTMLElement) : document.querySelector<HTMLElement>('main')
  to?.focus({ preventScroll: true })
}

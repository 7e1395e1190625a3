import { useEffect, useRef } from 'preact/hooks'

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Calls the function of a key while the component is shown. Keys in fields and with Ctrl, Alt or Meta do nothing. */
export function useKeys(keys: KeyMap): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || event.metaKey || event.ctrlKey || event.altKey) return
      if (document.querySelector('dialog[open]') !== null) return
      current.current[event.key]?.(event)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

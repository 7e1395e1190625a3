// Which rows of a long list are in the window of the browser. All have one height: `--row` of the list, in CSS.
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface RowWindow {
  /** The first row to render, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Of one row, in pixels; 0: not measured yet. */
  readonly height: number
}

/** Rows beyond the edges of the window, so that scrolling finds them. */
const beyond = 8

/** Of the rows of `body`, `count` in all. The first render has none. */
export function useWindow(body: RefObject<HTMLElement>, count: number): RowWindow {
  const [{ first, shown, height }, set] = useState({ first: 0, shown: 0, height: 0 })
  useEffect(() => {
    const measure = (): void => {
      if (body.current === null) return
      const height = parseFloat(getComputedStyle(body.current).getPropertyValue('--row'))
      const above = Math.max(0, -body.current.getBoundingClientRect().top)
      const first = Math.floor(above / height / beyond) * beyond
      const shown = Math.ceil(innerHeight / height) + beyond
      set((old) =>
        old.first === first && old.shown === shown && old.height === height ? old : { first, shown, height },
      )
    }
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [])
  const from = Math.max(0, Math.min(first - beyond, count - shown))
  return { from, to: Math.min(count, first + shown + beyond), height }
}

/** Scrolls until the row is in the window. */
export function scrollToRow(body: HTMLElement, row: number, height: number): void {
  const top = body.getBoundingClientRect().top + row * height
  const margin = height * 2
  if (top < margin) scrollBy(0, top - margin)
  else if (top + height > innerHeight - margin) scrollBy(0, top + height - innerHeight + margin)
}

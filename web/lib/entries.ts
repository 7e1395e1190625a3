// Entries of lists, for the keys j and k. A list has the attribute `data-entries`; its entries are its children.

/** What Enter opens: a view, or the fold of a change. */
const opener = 'a[href^="/"], button'

/** Moves the focus to the next (1) or the previous (-1) entry, or, if none has it, to the first one. */
export function focusEntry(step: 1 | -1): void {
  const openers = [...document.querySelectorAll('[data-entries] > *')].flatMap((entry) => {
    const first = entry.querySelector<HTMLElement | SVGElement>(opener)
    return first === null ? [] : [{ entry, first }]
  })
  const at = openers.findIndex(({ entry }) => entry.contains(document.activeElement))
  const next = openers[at < 0 ? 0 : Math.max(0, Math.min(openers.length - 1, at + step))]
  next?.first.focus()
  next?.first.scrollIntoView({ block: 'nearest' })
}

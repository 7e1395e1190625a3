import type { JSX } from 'preact'
import { go } from '../lib/route.js'

type LinkProps = Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> & {
  readonly to: string
  readonly replace?: boolean
}

/** A link to a view. With a modifier key or another button, the browser opens it in a new tab. */
export function Link({ to, replace = false, onClick, children, ...rest }: LinkProps) {
  const open = (event: JSX.TargetedMouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(to, { replace })
  }
  return (
    <a href={to} {...rest} onClick={open}>
      {children}
    </a>
  )
}

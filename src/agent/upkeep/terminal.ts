// The terminal that the agent was started in, which may be closed while the agent runs.
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'

/** To be disposed. */
export interface Terminal extends Disposable {
  /** True once a terminal of stdin, stdout or stderr is closed; never for a service, which has none. */
  readonly isClosed: () => boolean
}

/** `onClosed`: a write found the terminal closed. It may be called again. */
export function watchTerminal(onClosed: () => void): Terminal {
  const descriptors = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  const closed = (): readonly number[] => descriptors.filter((descriptor) => !isatty(descriptor))
  const isClosed = (): boolean => closed().length > 0
  const onError = (): void => {
    if (isClosed()) onClosed()
  }
  process.stderr.on('error', onError)
  // Node restores the settings of its terminals after this event, and aborts if one of them is closed.
  process.once('exit', () => closed().forEach(replace))
  return { isClosed, [Symbol.dispose]: () => void process.stderr.off('error', onError) }
}

/** The new descriptor has the lowest free number, which is the one that was closed. */
function replace(descriptor: number): void {
  closeSync(descriptor)
  openSync(devNull, 'r+')
}

import type { Log } from '../log.js'
import { describeError } from '../../model/errors.js'
import { stackInSource } from './stack-in-source.js'

/**
 * From now on, an error that nothing caught ends the process with exit code 1: what it left behind in memory cannot be
 * trusted. The log says which remotes were being read. To be disposed.
 */
export function endOnFault(log: Log, reading: () => readonly string[]): Disposable {
  const end = (error: unknown): void => {
    try {
      log.error('the agent ends: a fault in gitmoor', {
        error: describeError(error),
        stack: error instanceof Error && error.stack !== undefined ? stackInSource(error.stack) : undefined,
        reading: reading(),
        hint: 'Start it again: nothing is lost, and the remotes that were being read are read later. Please report this line.',
      })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', end) // also of promises: the runtime hands on what nobody awaited
  return { [Symbol.dispose]: () => void process.off('uncaughtException', end) }
}

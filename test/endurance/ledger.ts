// Every write that reached a target, one line each, written by the agent's process as it happens: what the checks at
// the end are compared with.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export interface Write {
  /** Milliseconds since the epoch: when it began and when it ended. */
  readonly from: number
  readonly to: number
  readonly target: string
  /** Process and connection it came through. */
  readonly connection: string
  readonly verb: 'create' | 'update' | 'remove'
  readonly family: string
  readonly name: string
  readonly done: boolean
}

export function appendWrite(file: string, write: Write): void {
  appendFileSync(file, `${JSON.stringify(write)}\n`)
}

/** By target, in the order in which they ended. A last line that a kill cut off is ignored. */
export function readLedger(file: string): ReadonlyMap<string, readonly Write[]> {
  const writes = new Map<string, Write[]>()
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    if (!line.endsWith('}')) continue
    const write = JSON.parse(line) as Write
    const known = writes.get(write.target) ?? []
    writes.set(write.target, known)
    known.push(write)
  }
  return writes
}

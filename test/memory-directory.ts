import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file system in memory that has room for the tests and lets programs run; undefined where there is none. */
export function memoryDirectory(): string | undefined {
  const memory = '/dev/shm'
  let probe: string | undefined
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < 2 ** 30) return undefined
    probe = mkdtempSync(join(memory, 'gitmoor-probe-'))
    writeFileSync(join(probe, 'run'), '#!/bin/sh\n', { mode: 0o700 })
    execFileSync(join(probe, 'run'))
    return memory
  } catch {
    return undefined
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true })
  }
}

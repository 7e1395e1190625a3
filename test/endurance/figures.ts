// What the process and the disk hold over time, and whether it grows.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Statistics } from './child.js'

export interface Sample {
  readonly at: number
  readonly pid: number
  readonly descriptors: number
  readonly databaseBytes: number
  readonly gitBytes: number
}

export function sample(pid: number, data: string): Sample | undefined {
  try {
    return {
      at: Date.now(),
      pid,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      databaseBytes: sizeBelow(data, (name) => name.startsWith('gitmoor.db')),
      gitBytes: sizeBelow(join(data, 'git'), () => true),
    }
  } catch {
    return undefined // it has just ended
  }
}

export function readStatistics(file: string): readonly Statistics[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Statistics)
}

/** The median of the first, the middle and the last third of what one process was seen to hold. */
export function thirds(values: readonly number[]): readonly [number, number, number] {
  const cut = Math.ceil(values.length / 3)
  return [0, 1, 2].map((i) => median(values.slice(i * cut, (i + 1) * cut))) as unknown as readonly [
    number,
    number,
    number,
  ]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function sizeBelow(directory: string, desired: (name: string) => boolean): number {
  if (!existsSync(directory)) return 0
  let bytes = 0
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (!desired(entry.name)) continue
    if (entry.isDirectory()) bytes += sizeBelow(path, () => true)
    else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

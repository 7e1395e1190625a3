import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { PlanView } from '../../views/plan.js'
import { UsageError } from '../cli-error.js'
import { fileErrorText, readInputFile } from './input-file.js'

/** Of a file that holds a plan. */
export const maximumPlanFileBytes = 64 * 1024 * 1024

/** What `apply` needs of a plan that was written down. */
export interface SavedPlan {
  readonly stackName: string
  readonly revision: string
  readonly digest: string
}

/**
 * Writes a plan for `gitmoor apply`: the plan as `--json` prints it, with `"gitmoor": "plan"` before. Mode 0600; whole
 * or not at all.
 */
export async function writePlanFile(path: string, cwd: string, plan: PlanView): Promise<void> {
  const target = resolve(cwd, path)
  const draft = `${target}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify({ gitmoor: 'plan', ...plan }, undefined, 2)}\n`)
    } finally {
      await file.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw new UsageError(`The plan cannot be written to ${path}: ${fileErrorText(error)}`)
  }
}

/** Reads what `writePlanFile` wrote. */
export function readPlanFile(path: string, cwd: string): SavedPlan {
  const value = readJson(path, resolve(cwd, path))
  const { gitmoor, stackName, revision, digest } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (
    gitmoor !== 'plan' ||
    typeof stackName !== 'string' ||
    typeof revision !== 'string' ||
    typeof digest !== 'string'
  ) {
    throw new UsageError(`${path} is not a plan.`, 'Write one: gitmoor plan NAME --out FILE')
  }
  return { stackName, revision, digest }
}

function readJson(shown: string, path: string): unknown {
  const text = readInputFile(path, shown, maximumPlanFileBytes).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

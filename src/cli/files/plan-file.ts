// A saved plan: the plan as `--json` prints it, with `"gitmoor": "plan"` and the checksum of the plan in front.
import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { jsonDigest } from '../../plan/digest.js'
import type { PlanView } from '../../views/plan.js'
import { UsageError } from '../errors/cli-error.js'
import { fileErrors } from '../errors/file-errors.js'
import { readInput, type InputPlaces } from './input-file.js'
import { outputFile } from './output-file.js'

export const maximumPlanFileBytes = 64 * 1024 * 1024

/** The fields of a saved plan that `apply` sends. */
export interface SavedPlan {
  readonly stackName: string
  readonly revision: string
  readonly digest: string
}

/**
 * Writes a plan for `gitmoor apply`, with mode 0600. A failure leaves no partial file. Follows symbolic links. A device
 * or a pipe, as `/dev/stdout`, gets the text.
 */
export async function writePlanFile(path: string, cwd: string, plan: PlanView): Promise<void> {
  const text = `${JSON.stringify({ gitmoor: 'plan', checksum: jsonDigest(plan), ...plan }, undefined, 2)}\n`
  try {
    const { file, isReplaceable } = await outputFile(path, cwd)
    if (isReplaceable) await replaceFile(file, text)
    else await writeFile(file, text)
  } catch (error) {
    throw error instanceof UsageError ? error : fileErrors.unwritable(path, error)
  }
}

async function replaceFile(target: string, text: string): Promise<void> {
  const temporary = `${target}.${randomUUID()}`
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Reads a file that `writePlanFile` wrote. A person reads its changes but `apply` sends its digest, so a file that was
 * edited since is refused. Files of older versions have no checksum.
 */
export async function readPlanFile(path: string, places: InputPlaces): Promise<SavedPlan> {
  const value = parseJson((await readInput(path, places, maximumPlanFileBytes)).toString('utf8'))
  const { gitmoor, checksum, ...plan } = (value ?? {}) as Readonly<Record<string, unknown>>
  const { stackName, revision, digest } = plan
  if (gitmoor !== 'plan' || typeof stackName !== 'string' || typeof revision !== 'string' || typeof digest !== 'string')
    throw fileErrors.notSavedPlan(path)
  if (checksum !== undefined && checksum !== jsonDigest(plan)) throw fileErrors.editedPlan(path, stackName)
  return { stackName, revision, digest }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

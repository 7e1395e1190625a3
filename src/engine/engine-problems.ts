// The problems and errors that the engine reports: their codes and their wording.
import type { Address } from '../model/address.js'
import type { Loss } from '../model/resources/change.js'
import { Bug, describeError, InvalidPackage, Rejected, StalePlan, SyncError } from '../model/errors.js'
import { errorsOf, type Problem } from '../model/problem.js'

/** Fields that a message lists. */
const mostFields = 5

/** A change of the resource failed: the error, or each problem of an invalid package with its place. */
export function changeFailures(address: Address, error: unknown): readonly Problem[] {
  const found = error instanceof InvalidPackage ? errorsOf(error.problems) : []
  if (found.length > 0) return found.map((problem) => ({ ...problem, about: address }))
  const { code = 'engine/failed', hint } = error instanceof SyncError ? error : {}
  const message = `${address}: ${describeError(error)}`
  return [{ severity: 'error', code, message, about: address, ...(hint === undefined ? {} : { hint }) }]
}

export function undoFailed(address: Address, error: unknown): Problem {
  const message = `${address} could not be undone: ${describeError(error)}`
  return { severity: 'error', code: 'engine/undo-failed', message, about: address }
}

/** A resource that depends on this one could not be undone. */
export function undoSkipped(address: Address): Problem {
  const message = `${address} was not undone, because a resource that depends on it could not be undone.`
  return { severity: 'error', code: 'engine/undo-skipped', message, about: address }
}

export function unknownKind(kind: string): Rejected {
  return new Rejected(`This version does not know the kind ${kind}.`, { code: 'engine/unknown-kind' })
}

/** The target accepted a write, but its state differs at `paths`. */
export function mismatch(address: Address, paths: readonly string[]): Rejected {
  const fields = paths.slice(0, mostFields).join(', ')
  const message = `The target accepted ${address} but returns different values: ${fields}.`
  return new Rejected(message, { code: 'engine/mismatch', hint: 'Declare the values that the target returns.' })
}

/** A needed resource of another stack is missing, and this plan does not create it. */
export function neededMissing(address: Address, needed: Address): StalePlan {
  return new StalePlan(`${address} needs ${needed}, which another stack owns and which is missing on the target.`, {
    code: 'engine/needed-gone',
    hint: 'gitmoor continues when that stack has recreated it.',
  })
}

export function notAsPlanned(address: Address): StalePlan {
  return new StalePlan(
    `${address} would be written differently than planned, because something that it depends on changed.`,
    { code: 'engine/plan-moved', hint: 'The next sync makes a new plan.' },
  )
}

/** A value that was known only after the plan makes the target delete data. */
export function unplannedLoss(address: Address, { path, message }: Loss): Rejected {
  return new Rejected(`${address} would lose data that the plan did not show: ${path}: ${message}.`, {
    code: 'engine/unplanned-loss',
    hint: 'Write the value instead of the reference, so a plan shows the loss.',
  })
}

export function neverBegan(count: number): Bug {
  return new Bug(`${count} planned changes could never begin.`)
}

export function improperPartial(address: Address): Bug {
  return new Bug(`A partial plan adopts, moves or removes ${address}.`)
}

export function partialUnsettled(): Bug {
  return new Bug('A partial plan was to be carried out before the run that came before it was settled.')
}

export function notDeclared(address: Address): Bug {
  return new Bug(`The plan writes ${address}, which is not declared.`)
}

export function notFound(address: Address): Bug {
  return new Bug(`The plan changes ${address}, which was not found.`)
}

export function noKind(kind: string): Bug {
  return new Bug(`No kind ${kind}.`)
}

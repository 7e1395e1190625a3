import type { Problem } from '../../model/problem.js'

/** Why a listing changes nothing. `code`: `fleets/empty`. */
export function fleetProblem(code: string, message: string, hint: string): Problem {
  return { severity: 'error', code, message, hint }
}

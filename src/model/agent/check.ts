/**
 * One check of the doctor. `skipped`: the result is unknown; `next`: what to do about it. `affects`: stacks that have
 * the same problem. `cause`: of a stack or a refused credential, the name of the check that has the same problem.
 */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly message: string
  readonly next?: string
  readonly affects?: { readonly count: number; readonly stacks: readonly string[] }
  readonly cause?: string
}

export function ok(name: string, message: string): Check {
  return { name, state: 'ok', message }
}

export function warning(name: string, message: string, next: string): Check {
  return { name, state: 'warning', message, next }
}

export function problem(name: string, message: string, next: string): Check {
  return { name, state: 'problem', message, next }
}

export function skipped(name: string, message: string): Check {
  return { name, state: 'skipped', message }
}

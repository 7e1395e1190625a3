import { sameRevision } from '../model/sources/revision.js'
import type { Stack } from '../model/stacks/stack.js'
import { driftMessage, type StatusInput } from './axes.js'
import { ready } from './conditions.js'

/** A stack that another one depends on. `why`: why it is not ready; '' if it is. */
export interface Dependency {
  readonly name: string
  readonly ready: boolean
  readonly why: string
}

/**
 * Ready: its condition `Ready` is true, its desired revision is applied, and nothing drifted. undefined: no such stack.
 */
export function dependency(name: string, input: StatusInput | undefined): Dependency {
  const not = (why: string): Dependency => ({ name, ready: false, why })
  if (input === undefined) return not(`There is no stack named ${name}.`)
  const { stack } = input
  const { status, message } = ready(input)
  if (!status) return not(message)
  if (!isDesired(stack)) return not('The applied revision is not the desired one.')
  if (stack.drifted > 0) return not(driftMessage(stack))
  return { name, ready: true, why: '' }
}

/** The applied revision is the desired one: the pinned revision, else the observed one. */
export function isDesired({ applied, observed, pinned }: Stack): boolean {
  return sameRevision(applied?.revision, pinned?.revision ?? observed?.revision)
}

// Resources that do not work. They keep the stack from nothing, but a person must find out why.
import { afterUndeclared } from './after-undeclared.js'
import { shellWord } from '../lib/text/shell-word.js'
import { command, type Blocker, type NextStep } from '../model/stacks/blocker.js'
import { isUndeclared, type Stack, type UnhealthyResource } from '../model/stacks/stack.js'

export const unhealthyReason = 'Unhealthy'

/**
 * One for each named resource. Lists show only the first message, so it also counts the others. The target of a stack
 * that nothing declares may be gone: its health waits for nobody, but the stack does.
 */
export function unhealthyBlockers(stack: Stack): readonly Blocker[] {
  const { unhealthy, unhealthySince, suspended } = stack
  const { name } = stack.spec
  if (unhealthy === null) return []
  const { count, first } = unhealthy
  return first.map((one, at) => ({
    reason: unhealthyReason,
    message: `${unhealthyMessage(one)}${at === 0 ? othersText(count - 1) : ''}`,
    since: unhealthySince,
    until: null,
    next: suspended !== null && isUndeclared(stack) ? afterUndeclared(stack, suspended) : unhealthySteps(name, one),
  }))
}

/** `Task/hourly is unhealthy. The last run failed: bucket "raw" not found.` */
export function unhealthyMessage({ address, reason }: UnhealthyResource): string {
  return `${address} is unhealthy. ${reason}`
}

function othersText(count: number): string {
  return count === 0 ? '' : ` ${count === 1 ? '1 more resource is' : `${count} more resources are`} unhealthy.`
}

function unhealthySteps(stack: string, { address }: UnhealthyResource): readonly NextStep[] {
  const see = command('See it', 'explain', { stack, address }, `gitmoor explain ${stack} ${shellWord(address)}`)
  const cli = `gitmoor wait ${stack} --for healthy`
  return [see, command('Fix its cause, then check it again', 'wait', { stack, for: 'healthy' }, cli)]
}

// The problems that a plan reports: their codes and their wording.
import { printable, quoted } from '../lib/text/printable.js'
import { shellWord } from '../lib/text/shell-word.js'
import type { Address } from '../model/address.js'
import { problemAt, type Place, type Problem } from '../model/problem.js'
import type { Claim, Owned, Resource } from '../model/resources/resource.js'

/** Fields, outputs, and names of a cycle, that a message lists. */
const mostFields = 5
const mostOutputs = 20
const mostNames = 20

/** Another stack owns the resource and declares it differently at `paths`. */
export function claimed(resource: Resource, { owned, stackName }: Claim, paths: readonly string[]): Problem {
  const owner = `belongs to stack ${stackName} (as ${owned.address})`
  const release = `gitmoor stack release ${stackName} ${shellWord(owned.address)}`
  return {
    severity: 'error',
    code: 'plan/claimed',
    message: `${resource.address} ${owner}, which declares different values: ${listed(paths)}.`,
    place: resource.document.place,
    hint:
      `To share it, declare the same values as ${stackName}. To move it to this stack, suspend ${stackName}, ` +
      `release it (${release}), remove it from the package of ${stackName}, and resume ${stackName}. Or choose another name.`,
  }
}

/** With `takesOver`, the last apply wins. */
export function takenOver(resource: Resource, { owned, stackName }: Claim, paths: readonly string[]): Problem {
  const owner = `belonged to stack ${stackName} (as ${owned.address})`
  const different = `which declares different values: ${listed(paths)}`
  return problemAt('warning', resource.document.place, {
    code: 'plan/taken-over',
    message: `${resource.address} ${owner}, ${different}. This stack now owns it.`,
    hint: `Syncs of ${stackName} are refused until it declares the same values.`,
  })
}

/** Updates that overwrite what the target never shows. */
export function notRestorable(addresses: readonly Address[]): Problem {
  const values = addresses.length === 1 ? 'the former value' : 'the former values'
  const them = addresses.length === 1 ? 'it' : 'them'
  return {
    severity: 'warning',
    code: 'plan/not-restorable',
    message: `An undo cannot restore ${values} of ${listed(addresses, mostNames)}: the target never shows ${them}.`,
    hint: `gitmoor writes ${addresses.length === 1 ? 'this change' : 'these changes'} last.`,
  }
}

function listed(paths: readonly string[], most = mostFields): string {
  return `${paths.slice(0, most).join(', ')}${paths.length > most ? ' …' : ''}`
}

/** The resource that a reference names exists, without the value. */
export function noOutput(
  address: Address,
  { to, output }: { readonly to: Address; readonly output: string },
  names: readonly string[],
  place: Place,
): Problem {
  const more = names.length > mostOutputs ? ', …' : ''
  return problemAt('error', place, {
    code: 'plan/no-output',
    message: `${printable(address)} refers to ${quoted(output)} of ${printable(to)}, which has no such value.`,
    hint: `It has: ${names.slice(0, mostOutputs).map(printable).join(', ')}${more}.`,
  })
}

/** `why`: why `holder` keeps its name. */
export function nameInUse(taker: Address, holder: Address, why: 'loses-data' | 'stays'): Problem {
  const reason = why === 'loses-data' ? 'removing it loses its data' : 'it stays on the target'
  return {
    severity: 'error',
    code: 'plan/name-in-use',
    message: `${taker} takes the name of ${holder}, which is no longer declared, but ${reason}.`,
    hint: `Keep the address ${holder}, or remove ${holder} in one revision and use its name in the next.`,
  }
}

export function nameSwap(addresses: readonly Address[]): Problem {
  const more = addresses.length > mostNames ? ` and ${addresses.length - mostNames} more` : ''
  return {
    severity: 'error',
    code: 'plan/name-swap',
    message: `${addresses.slice(0, mostNames).join(', ')}${more} exchange names, which a target cannot do in one step.`,
    hint:
      'Rename in two revisions, with an unused name in between. ' +
      'If the names were exchanged on the target, rename one of the resources there by hand, then sync.',
  }
}

export function orderCycle(address: Address): Problem {
  return {
    severity: 'error',
    code: 'plan/order',
    message: `${address} would have to wait for itself: names and dependencies change in a cycle.`,
    hint: 'Make the change in two revisions.',
  }
}

export function unknownKind({ address, kind }: Owned): Problem {
  return {
    severity: 'error',
    code: 'plan/unknown-kind',
    message: `This stack owns ${address} of the kind ${kind}, which this version does not know.`,
    hint: 'Use the version that created it, or delete the stack without --uninstall.',
  }
}

/** An entry of `ignore` that matches nothing. */
export function unmatchedIgnore(family: string, path: string): Problem {
  return {
    severity: 'warning',
    code: 'plan/ignores-nothing',
    message: `"ignore" names ${path} of ${family}, but no ${family} has it.`,
    hint: 'Write the path as a plan prints it, with [*] for any index of a list: charts[*].yPos.',
  }
}

/** An entry of `protect` that matches nothing. */
export function unmatchedProtection(pattern: string): Problem {
  return {
    severity: 'warning',
    code: 'plan/protects-nothing',
    message: `The stack protects ${pattern}, which it neither declares nor owns.`,
    hint: 'Check the address. It is the family, a slash, and the name in the package: Bucket/raw.',
  }
}

// The targets of `stack create`: one, or several for a fleet.
import { Option } from 'commander'
import type { FleetDocument } from '../../../settings/documents/fleet-document.js'
import { collect } from '../shared-options.js'
import type { StackOptions } from './stack-options.js'

export interface TargetOptions {
  readonly target?: readonly string[] | undefined
  readonly targetLabel?: readonly string[] | undefined
}

/** The options of `stack set` with a `--target` that may be repeated, and `--target-label`. */
export function withTargetOptions(
  options: readonly (Option | readonly [string, string])[],
): readonly (Option | readonly [string, string])[] {
  return options.flatMap((option) => {
    if (!(option instanceof Option) || option.long !== '--target') return [option]
    const label = new Option('--target-label <SELECTOR>', 'create a fleet: a stack on each target with these labels')
    return [
      new Option(option.flags, `${option.description}; repeated: a fleet`).argParser(collect),
      label.argParser(collect).conflicts('target'),
    ]
  })
}

/** The only target of a stack; or the targets of a fleet, if there are several or a selector. */
export function targetsAmong({
  target = [],
  targetLabel,
}: TargetOptions): Pick<StackOptions, 'target'> | { readonly targets: NonNullable<FleetDocument['targets']> } {
  if (targetLabel !== undefined) return { targets: { selector: targetLabel.join(',') } }
  if (target.length > 1) return { targets: { names: [...target] } }
  return target[0] === undefined ? {} : { target: target[0] }
}

import { InvalidArgumentError, Option } from 'commander'
import { stackSorts } from '../../../model/stacks/stack.js'
import { parseStates, states } from '../../../status/status.js'
import { choice, type Declaration } from '../../invocation.js'
import { selectorOption } from '../several-stacks.js'

/** The options of `stack list`, named like the query parameters of the API. */
export interface StackFilterOptions {
  readonly name?: string
  readonly target?: string
  readonly channel?: string
  readonly path?: string
  readonly state?: string
  readonly sync?: string
  readonly health?: string
  readonly phase?: string
  readonly suspended?: boolean
  readonly managedBy?: string
  readonly fleet?: string
  readonly needs?: string
  readonly selector?: string
  readonly sort?: string
}

/** Options that filter stacks, combined with AND, and `--sort`. */
export function stackFilterList(): NonNullable<Declaration['options']> {
  return [
    selectorOption,
    ['--name <TEXT>', 'stacks whose name contains TEXT'],
    ['--target <TARGET>', 'stacks of this target'],
    ['--channel <CHANNEL>', 'stacks that follow this channel: REMOTE#REF, or REF'],
    ['--path <PATH>', 'stacks with a source at this path of its repository, or below it'],
    stateOption(),
    choice('--sync <STATE>', 'stacks in this sync state', ['Synced', 'OutOfSync', 'Drifted', 'Unknown']),
    choice('--health <HEALTH>', 'stacks with this health', [
      'Healthy',
      'Progressing',
      'Degraded',
      'Missing',
      'Unknown',
    ]),
    choice('--phase <PHASE>', 'stacks whose last run is in this phase', [
      'queued',
      'fetching',
      'planning',
      'needs-approval',
      'applying',
      'undoing',
      'done',
    ]),
    new Option('--suspended', 'suspended stacks'),
    new Option('--no-suspended', 'stacks that are not suspended'),
    new Option('--fleet <FLEET>', 'stacks of this fleet').conflicts('managedBy'),
    choice('--managed-by <WHO>', 'stacks declared there: through the API or in the configuration file', [
      'api',
      'file',
    ]),
    choice('--needs <WHOM>', 'stacks that continue only after a person acts, or something new appears', ['person']),
    choice('--sort <KEY>', 'sort key (default: name); `-KEY` reverses the order', stackSorts),
  ]
}

/** Choices without spaces; several are separated by commas, or the option is repeated. */
function stateOption(): Option {
  const choices = states.map((state) => state.replaceAll(' ', '-'))
  const option = choice('--state <STATE>', 'stacks in this state, or in one of several: Failed,Behind', choices)
  return option.argParser<string | undefined>((text, before) => {
    if (parseStates(text).unknown.length > 0)
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
    return before === undefined ? text : `${before},${text}`
  })
}

/** The query parameters of a list. */
export function stackListQuery({
  suspended,
  fleet,
  ...options
}: StackFilterOptions): Readonly<Record<string, string | undefined>> {
  return {
    ...options,
    ...(fleet === undefined ? {} : { managedBy: `fleet:${fleet}` }),
    suspended: suspended === undefined ? undefined : String(suspended),
  }
}

/** True if the list may omit stacks. */
export function isFiltered(options: StackFilterOptions): boolean {
  return Object.keys(options).some((name) => name !== 'sort')
}

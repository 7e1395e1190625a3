import { Option } from 'commander'
import { stackSorts } from '../../../model/stack-query.js'
import { choice, type Declaration } from '../../invocation.js'

/** What `stack list` takes, by the names that the API has for it. */
export interface StackFilterOptions {
  readonly name?: string
  readonly target?: string
  readonly sync?: string
  readonly health?: string
  readonly phase?: string
  readonly suspended?: boolean
  readonly managedBy?: string
  readonly needs?: string
  readonly sort?: string
}

/** The options that choose among stacks. All that are given must be true of a stack. */
export function stackFilterList(): NonNullable<Declaration['options']> {
  return [
    ['--name <TEXT>', 'those with this in their name'],
    ['--target <TARGET>', 'those bound to this target'],
    choice('--sync <STATE>', 'by what they are beside their source', ['Synced', 'OutOfSync', 'Drifted', 'Unknown']),
    choice('--health <HEALTH>', 'by how they are', ['Healthy', 'Progressing', 'Degraded', 'Missing', 'Unknown']),
    choice('--phase <PHASE>', 'by the phase of the last run', [
      'queued',
      'fetching',
      'planning',
      'held',
      'applying',
      'undoing',
      'done',
    ]),
    new Option('--suspended', 'those that are suspended'),
    new Option('--no-suspended', 'those that are not'),
    choice('--managed-by <WHO>', 'by where they are declared', ['api', 'file']),
    choice('--needs <WHOM>', 'those where nothing goes on without a person, or something new', ['person']),
    choice('--sort <KEY>', 'default: name; `-KEY` turns it round', stackSorts),
  ]
}

/** True where fewer than all stacks are asked for. */
export function isFiltered(options: StackFilterOptions): boolean {
  return Object.keys(options).some((name) => name !== 'sort')
}

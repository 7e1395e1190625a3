import type { Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { PlanView } from '../../../views/plan.js'
import type { RunView } from '../../../views/run.js'
import type { StackRow, StackView } from '../../../views/stack.js'
import { readPages, maximumListItems } from '../../client/all-pages.js'
import { addDiscover } from './discover.js'
import { exitCode } from '../../exit-code.js'
import { followRun, reportRun, stackPath } from '../follow-run.js'
import { choice, type Declare, type Invocation } from '../../invocation.js'
import { planLines } from '../../text/plan-text.js'
import { isFiltered, stackFilterList, type StackFilterOptions } from './stack-filter.js'
import { stackLines, stackListLines } from '../../text/stack-text.js'
import { addOwnershipVerbs } from './ownership.js'
import { addPush } from './push.js'
import { addRemovalVerbs } from './removal.js'
import { stackDocument, stackPatch, stackOptionList, type StackOptions } from './stack-options.js'

/** stack create, set, push, list, get, adopt, release, uninstall, delete, discover. */
export function addStackVerbs(program: Command, declare: Declare): void {
  const stack = program.command('stack').description('make, change, list and delete stacks')
  addCreate(stack, declare)
  addSet(stack, declare)
  addPush(stack, declare)
  addQueries(stack, declare)
  addOwnershipVerbs(stack, declare)
  addRemovalVerbs(stack, declare)
  addDiscover(stack, declare)
}

/** Only a new stack can be made inline. */
const inlineOption = ['--inline', 'what is pushed to it: gitmoor stack push'] as const

function addCreate(stack: Command, declare: Declare): void {
  const create = {
    usage: 'create NAME',
    summary: 'point a stack at a repository, and wait for its first sync',
    example: 'stack create boards --repo https://github.com/acme/boards --ref stable',
    options: [...stackOptionList(), inlineOption, ['--no-wait', 'do not wait for the first sync']],
  } as const
  declare<StackOptions & { wait: boolean }>(stack, create, async (at, [name = ''], { wait, ...options }) => {
    const body = await stackDocument(name, options, at.cwd)
    const made = await at.client.request<{ stack: StackView; run: string }>('POST', '/api/v1/stacks', { body })
    at.out.progress(`${name} is made; its first sync is run ${made.run}`)
    const isPushed = body.sources.some(({ kind }) => kind === 'inline')
    if (wait && !isPushed) return finishCreate(at, name, made.run)
    const run = await at.client.request<RunView>('GET', stackPath(name, 'runs', made.run))
    at.out.answer({ stack: made.stack, run }, () => [
      `${printable(name)} is made; its first sync is run ${printable(made.run)}.`,
      ...(isPushed ? [`It waits for its package: gitmoor stack push ${printable(name)} -f FILE`] : []),
    ])
    return exitCode.ok
  })
}

async function finishCreate(at: Invocation, name: string, id: string): Promise<number> {
  const run = await followRun(at, name, id)
  const stack = await at.client.request<StackView>('GET', stackPath(name))
  return reportRun(at, name, run, { stack, run })
}

function addSet(stack: Command, declare: Declare): void {
  const set = {
    usage: 'set NAME',
    summary: 'change settings, with effect at once; prints the plan',
    example: 'stack set boards --ref beta',
    options: stackOptionList(),
  }
  declare<StackOptions>(stack, set, async (at, [name = ''], options) => {
    const body = await stackPatch(name, options, at.cwd)
    const changed = await at.client.request<{ stack: StackView; plan?: PlanView; problem?: string }>(
      'PATCH',
      stackPath(name),
      { body },
    )
    const { plan, problem } = changed
    at.out.answer(changed, (look) => [
      `${printable(changed.stack.name)} is changed, with effect at once.${plan === undefined ? '' : ' What the next run does:'}`,
      ...(plan === undefined ? [] : ['', ...planLines(plan, look)]),
      ...(problem === undefined ? [] : [`What the next run does is not known yet: ${printable(problem)}`]),
    ])
    return exitCode.ok
  })
}

function addQueries(stack: Command, declare: Declare): void {
  const list = {
    usage: 'list',
    summary: 'the stacks, or those of which all that is given is true',
    example: 'stack list --needs person --sort -lastRun',
    options: [...stackFilterList(), ['--watch', 'go on: every row that changes, until Ctrl-C'] as const],
    notes: 'With --json --watch each row is one line, and a stack that goes is {"deleted": NAME}.',
  }
  declare<StackFilterOptions & { watch?: true }>(stack, list, async (at, _, { watch, ...options }) => {
    const query = { ...options, suspended: options.suspended === undefined ? undefined : String(options.suspended) }
    if (watch === true) return (await import('./watch-stacks.js')).watchStacks(at, query, isFiltered(options))
    const page = await readPages<StackRow>(at.client, '/api/v1/stacks', query, maximumListItems)
    at.out.answer(page, (look) => stackListLines(page.items, look, isFiltered(options)))
    return exitCode.ok
  })
  const get = {
    usage: 'get NAME',
    summary: 'a stack, how it is, and what it owns',
    example: 'stack get boards -o yaml',
    options: [choice('-o, --output <format>', 'yaml: its document, for -f; json: as --json', ['yaml', 'json'])],
  }
  declare<{ output?: 'yaml' | 'json' }>(stack, get, async (at, [name = ''], { output }) => {
    const view = await at.client.request<StackView>('GET', stackPath(name))
    if (output === 'yaml' && !at.out.json) {
      const { printStackDocument } = await import('../../../settings/stack-document.js')
      const text = printStackDocument(view.spec)
      at.out.answer(view, () => text.trimEnd().split('\n').map(printable))
    } else if (output === 'json') at.out.answerJson(view)
    else at.out.answer(view, (look) => stackLines(view, look))
    return exitCode.ok
  })
}

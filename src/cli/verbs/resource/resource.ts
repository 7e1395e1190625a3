import { Option, type Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { TargetResource } from '../../../views/resource.js'
import { readPages, maximumListItems } from '../../client/all-pages.js'
import { CliError, UsageError } from '../../cli-error.js'
import { exitCode } from '../../exit-code.js'
import { choice, type Declare, type Invocation } from '../../invocation.js'
import { overrideOptions, overrideQuery, type OverrideOptions } from '../shared-options.js'
import { resourceLines, resourceListLines } from '../../text/resource-text.js'

interface Scope {
  readonly stack?: string
  readonly target?: string
}

const scopeOptions = [
  ['--stack <NAME>', 'the stack, where several own the address'],
  ['--target <TARGET>', 'the target (default: local)'],
] as const

interface Consent extends OverrideOptions {
  readonly consent?: string | undefined
  readonly yes?: boolean | undefined
}

const consentOptions = [
  ['--consent <ADDRESS>', 'it may lose data, or be removed though it is protected: its address again'],
  ['--yes', 'do not ask; this is no consent to lose data'],
  ...overrideOptions(),
] as const

const whichNote = 'WHICH: an address that a stack owns (Bucket/raw), or FAMILY/ID as `resource list` prints it.'
const single = '/api/v1/resource'

/** resource list, get, edit, delete, create: to look at what is there, and to break it by hand. */
export function addResourceVerbs(program: Command, declare: Declare): void {
  const resource = program
    .command('resource')
    .description("look at things on a target, or change them behind the stacks' backs")
  addQueries(resource, declare)
  addEdit(resource, declare)
  addDelete(resource, declare)
  addCreate(resource, declare)
}

function addQueries(resource: Command, declare: Declare): void {
  const list = {
    usage: 'list',
    summary: 'what is on a target, or what a stack owns',
    example: 'resource list --stack boards',
    options: [
      ['--stack <NAME>', 'only what this stack owns'],
      ['--target <TARGET>', 'the target (default: local)'],
    ],
  } as const
  declare<Scope>(resource, list, async (at, _, { stack, target }) => {
    const page = await readPages<TargetResource>(at.client, '/api/v1/resources', { stack, target }, maximumListItems)
    at.out.answer(page, (look) => resourceListLines(page.items, look))
    return exitCode.ok
  })
  const get = {
    usage: 'get WHICH',
    summary: 'a thing on a target',
    example: 'resource get Bucket/raw --stack boards',
    notes: whichNote,
    options: [...scopeOptions, choice('-o, --output <format>', 'yaml or json', ['yaml', 'json'])],
  }
  declare<Scope & { output?: 'yaml' | 'json' }>(resource, get, async (at, [which = ''], { stack, target, output }) => {
    const found = await at.client.request<TargetResource>('GET', single, { query: { which, stack, target } })
    const { stringify } = await import('yaml')
    const text = stringify(found.actual, { lineWidth: 0 })
    if (output === 'json') at.out.answerJson(found)
    else if (output === 'yaml') at.out.answer(found, () => yamlLines(stringify(found, { lineWidth: 0 })))
    else at.out.answer(found, (look) => [...resourceLines(found, look), ...yamlLines(text).map((line) => `  ${line}`)])
    return exitCode.ok
  })
}

function yamlLines(text: string): readonly string[] {
  return text.trimEnd().split('\n').map(printable)
}

function addEdit(resource: Command, declare: Declare): void {
  const edit = {
    usage: 'edit WHICH',
    summary: 'change a thing on a target, in an editor, from a file or field by field',
    example: 'resource edit Bucket/raw --set description="by hand"',
    notes: whichNote,
    options: [
      ...scopeOptions,
      ['-f, --file <FILE>', 'what it shall hold, as YAML or JSON'],
      new Option('--set <PATH=VALUE>', 'one field; may be given again').argParser(collect).conflicts('file'),
      ...consentOptions,
    ],
  } as const
  type Options = Scope & Consent & { file?: string; set?: readonly string[] }
  declare<Options>(
    resource,
    edit,
    async (at, [which = ''], { stack, target, consent, yes, overrideWindow, why, ...how }) => {
      const override = overrideQuery({
        ...(overrideWindow === true ? { overrideWindow } : {}),
        ...(why === undefined ? {} : { why }),
      })
      const query = { which, stack, target }
      const found = await at.client.request<TargetResource>('GET', single, { query })
      const live = await editedState(at, found, how)
      const write = (named: string | undefined): Promise<TargetResource> =>
        at.client.request<TargetResource>('PUT', single, {
          query: { ...query, ...override, consent: named },
          body: { desired: live },
        })
      const changed = live === undefined ? found : await withConsent(at, query, { consent, yes }, write)
      at.out.answer(changed, () => [live === undefined ? 'Nothing was changed.' : `${printable(which)} is written.`])
      return exitCode.ok
    },
  )
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value]
}

async function editedState(
  at: Invocation,
  found: TargetResource,
  how: { readonly file?: string; readonly set?: readonly string[] },
): Promise<object | undefined> {
  if (how.set !== undefined) {
    const { setPath } = await import('./set-path.js')
    return how.set.reduce(setPath, found.actual)
  }
  const { readState, readMap } = await import('./resource-file.js')
  if (how.file !== undefined) return readState(how.file, at.cwd)
  if (!at.interactive) throw new UsageError('There is no terminal to edit on.', 'Give -f FILE or --set PATH=VALUE.')
  const { editText } = await import('./editor.js')
  const { stringify } = await import('yaml')
  const before = stringify(found.actual, { lineWidth: 0 })
  const after = await editText(before, at.environment)
  return after === before ? undefined : readMap(after, 'What you wrote')
}

function addDelete(resource: Command, declare: Declare): void {
  const remove = {
    usage: 'delete WHICH',
    summary: 'remove a thing from a target; the stack that owns it brings it back',
    example: 'resource delete Bucket/raw',
    notes: whichNote,
    options: [...scopeOptions, ...consentOptions],
  }
  declare<Scope & Consent>(resource, remove, async (at, [which = ''], { stack, target, ...consents }) => {
    const query = { which, stack, target }
    const answer = await withConsent(at, query, consents, (named) =>
      at.client.request<{ deleted: string }>('DELETE', single, {
        query: { ...query, ...overrideQuery(consents), consent: named },
      }),
    )
    at.out.answer(answer, () => [`${printable(which)} is removed.`])
    return exitCode.ok
  })
}

/** Asks where the agent wants consent. `--yes` does not give it. */
async function withConsent<T>(
  at: Invocation,
  query: Readonly<Record<'which' | 'stack' | 'target', string | undefined>>,
  { consent, yes = false }: Consent,
  write: (named: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await write(consent)
  } catch (error) {
    const wantsConsent =
      error instanceof CliError && (error.code === 'stacks/data-loss' || error.code === 'stacks/protected')
    if (!wantsConsent || consent !== undefined || yes || !at.interactive) throw error
    const { address, family, id } = await at.client.request<TargetResource>('GET', single, { query })
    const named = address ?? `${family}/${id}`
    const { confirm } = await import('../../confirm.js')
    await confirm(at, `${error.message} Go on with ${named}?`)
    return write(named)
  }
}

function addCreate(resource: Command, declare: Declare): void {
  const create = {
    usage: 'create',
    summary: 'make a thing on a target that no stack owns',
    example: 'resource create -f bucket.yaml',
    notes: 'FILE: YAML or JSON with `family` and `actual`, as `resource get -o yaml` prints it.',
    options: [
      new Option('-f, --file <FILE>', 'what to make').makeOptionMandatory(),
      ['--target <TARGET>', 'the target (default: local)'],
      ...overrideOptions(),
    ] as const,
  }
  declare<OverrideOptions & { file: string; target?: string }>(
    resource,
    create,
    async (at, _, { file, target, ...override }) => {
      const { readNewResource } = await import('./resource-file.js')
      const { family, actual } = readNewResource(file, at.cwd)
      const made = await at.client.request<TargetResource>('POST', '/api/v1/resources', {
        query: { target, ...overrideQuery(override) },
        body: { family, desired: actual },
      })
      at.out.answer(made, () => [`${printable(`${made.family}/${made.id}`)} is made.`])
      return exitCode.ok
    },
  )
}

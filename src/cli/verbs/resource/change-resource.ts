// resource edit, delete and create. They write to the target directly; the next sync of the owner may revert it.
import { Option, type Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import type { TargetResource } from '../../../views/resource.js'
import type { Address } from '../../../model/address.js'
import { CliError } from '../../errors/cli-error.js'
import { usageErrors } from '../../errors/usage-errors.js'
import type { ConfirmOptions } from '../../confirm.js'
import { exitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import {
  collect,
  consentOption,
  overrideOptions,
  overrideQuery,
  yesOption,
  type OverrideOptions,
} from '../shared-options.js'
import { resourcePath, scopeOptions, targetOption, whichNote, type Scope } from './resource-scope.js'

interface EditInput {
  readonly file?: string
  readonly set?: readonly string[]
}

export function addEdit(resource: Command, declare: Declare): void {
  const edit = {
    usage: 'edit WHICH',
    summary: 'change a resource in an editor, from a file or field by field',
    example: 'resource edit Bucket/raw --set description="by hand"',
    notes: whichNote,
    options: [
      ...scopeOptions,
      ['-f, --file <FILE>', 'the new state, as YAML or JSON; -: standard input'],
      new Option('--set <PATH=VALUE>', 'set one field; may be repeated').argParser(collect).conflicts('file'),
      yesOption,
      consentOption(),
      ...overrideOptions,
    ],
  } as const
  declare<Scope & ConfirmOptions & OverrideOptions & EditInput>(resource, edit, async (cli, [which = ''], options) => {
    const path = resourcePath(which)
    const query = { stack: options.stack, target: options.target }
    const found = await cli.client.request<TargetResource>('GET', path, { query })
    const desired = await editedState(cli, found, options)
    if (desired === undefined) {
      cli.out.answer(found, () => ['Nothing was changed.'])
      return exitCode.ok
    }
    const changed = await withConsent(cli, addressOf(found), options, (consent) =>
      cli.client.request<TargetResource>('PUT', path, {
        query: { ...query, ...overrideQuery(options), consent },
        body: { desired },
      }),
    ).catch((error: unknown) => {
      throw withFieldsAsTyped(error)
    })
    cli.out.answer(changed, () => [`Changed ${printable(which)}.`])
    return exitCode.ok
  })
}

/** Names fields as `--set` and the edited text do: `retentionRules[0].type` for `desired.retentionRules[0].type`. */
function withFieldsAsTyped(error: unknown): unknown {
  if (!(error instanceof CliError) || error.problems.length === 0) return error
  const problems = error.problems.map((problem) =>
    problem.field === undefined ? problem : { ...problem, field: problem.field.replace(/^desired\.?(?=.)/, '') },
  )
  const { exit, message, code, status, hint, requestId, cause } = error
  const facts = { code, status, problems, cause }
  return new CliError(exit, message, {
    ...facts,
    ...(hint === undefined ? {} : { hint }),
    ...(requestId === undefined ? {} : { requestId }),
  })
}

/** undefined: the person did not change the text. */
async function editedState(
  cli: Invocation,
  { actual }: TargetResource,
  { file, set }: EditInput,
): Promise<object | undefined> {
  if (set !== undefined) {
    const { setPath } = await import('./set-path.js')
    return set.reduce(setPath, actual)
  }
  const { readState, readMap } = await import('./resource-file.js')
  if (file !== undefined) return readState(file, cli)
  if (!cli.interactive) throw usageErrors.noTerminal()
  const { editText } = await import('./editor.js')
  const { stringify } = await import('yaml')
  const before = stringify(actual, { lineWidth: 0 })
  const after = await editText(before, cli.environment)
  return after === before ? undefined : readMap(after, 'the edited resource')
}

export function addDelete(resource: Command, declare: Declare): void {
  const remove = {
    usage: 'delete WHICH',
    summary: 'delete a resource from its target; its stack creates it again',
    example: 'resource delete Bucket/raw',
    notes: whichNote,
    options: [...scopeOptions, yesOption, consentOption(), ...overrideOptions],
  }
  declare<Scope & ConfirmOptions & OverrideOptions>(resource, remove, async (cli, [which = ''], options) => {
    const path = resourcePath(which)
    const query = { stack: options.stack, target: options.target }
    const found = await cli.client.request<TargetResource>('GET', path, { query })
    const address = addressOf(found)
    const { target, stack, needsConsent } = found
    const losses = needsConsent === undefined ? [] : [{ address, message: needsConsent }]
    const owner = stack === null ? '' : ` It belongs to stack ${stack}.`
    const { confirm } = await import('../../confirm.js')
    await confirm(cli, `Delete ${address} from target ${target}?${owner}`, options, { losses })
    const answer = await cli.client.request<{ deleted: string }>('DELETE', path, {
      query: { ...query, ...overrideQuery(options), consent: losses.length === 0 ? undefined : address },
    })
    cli.out.answer(answer, () => [`Deleted ${printable(which)}.`])
    return exitCode.ok
  })
}

/** The address by which consent names a resource: FAMILY/ID if no stack owns it. */
function addressOf({ address, family, id }: TargetResource): Address {
  return (address ?? `${family}/${id}`) as Address
}

/** Writes, and asks for consent if the agent requires it. */
async function withConsent<T>(
  cli: Invocation,
  address: Address,
  { consent = [], yes }: ConfirmOptions,
  write: (consent: string | undefined) => Promise<T>,
): Promise<T> {
  const { confirm, isCovered } = await import('../../confirm.js')
  try {
    return await write(isCovered(address, consent) ? address : undefined)
  } catch (error) {
    const canAsk = cli.interactive && yes !== true && consent.length === 0
    if (!canAsk || !(error instanceof CliError) || error.code !== 'stacks/data-loss') throw error
    await confirm(cli, `Change ${address}?`, {}, { losses: [{ address, message: error.message }] })
    return write(address)
  }
}

export function addCreate(resource: Command, declare: Declare): void {
  const create = {
    usage: 'create',
    summary: 'create a resource that no stack owns',
    example: 'resource create -f bucket.yaml',
    notes: 'FILE: YAML or JSON with `family` and `desired`, or the output of `gitmoor resource get WHICH -o yaml`.',
    options: [
      new Option('-f, --file <FILE>', 'the resource to create; -: standard input').makeOptionMandatory(),
      targetOption,
      ...overrideOptions,
    ] as const,
  }
  declare<OverrideOptions & { file: string; target?: string }>(
    resource,
    create,
    async (cli, _, { file, target, ...override }) => {
      const { readNewResource } = await import('./resource-file.js')
      const created = await cli.client.request<TargetResource>('POST', '/api/v1/resources', {
        query: { target, ...overrideQuery(override) },
        body: await readNewResource(file, cli),
      })
      cli.out.answer(created, () => [`Created ${printable(`${created.family}/${created.id}`)}.`])
      return exitCode.ok
    },
  )
}

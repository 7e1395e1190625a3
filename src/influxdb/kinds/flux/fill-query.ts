// Fills in the parameters of queries. A query that sets neither `option params` nor `option task` keeps its bytes.
import type { JsonObject } from '../../../model/json.js'
import { readOption, withoutOption, withValues } from './flux-options.js'
import { refuseBadQuery } from './flux-syntax.js'
import { setsOption } from './flux-words.js'
import { FluxError, type FluxPort } from './flux.js'
import { parameterExpressions, readParameters, type Parameter, type QueryOwner } from './parameters.js'

/** The query of a task, and the entries of its own `option task`. */
export interface TaskQuery {
  /** Without `option task`: the script sent to the target gets exactly one, built from the task's fields. */
  readonly body: string
  /** With `option task`, if it could be read. */
  readonly declared: string
  readonly option: readonly Parameter[]
  /** It sets the option, but cannot be read: the entries are unknown. */
  readonly unread?: true
}

/** The query with its parameters. A query that sets the option and cannot be read is an error. */
export function fillQuery(query: string, at: QueryOwner, flux: FluxPort): string {
  if (!setsOption(query, 'params')) {
    warnUnused(at, 'params')
    return query
  }
  return reading(at, query, () => {
    const tree = flux.parse(query)
    const { filled } = fillOption(tree, 'params', at)
    return filled === tree ? query : flux.print(filled)
  })
}

/** The query of a task with its parameters and, if `reads`, with the entries of `option task`. */
export function fillTaskQuery(
  query: string,
  at: QueryOwner,
  { flux, reads }: { readonly flux: FluxPort; readonly reads: boolean },
): TaskQuery {
  const plain: TaskQuery = { body: query, declared: query, option: [] }
  const setsTask = setsOption(query, 'task')
  if (refuseBadQuery(at.fields, query, flux)?.wrong !== undefined)
    return reads && setsTask ? { ...plain, unread: true } : plain
  if (!setsTask) {
    if (reads) warnUnused(at, 'task')
    const body = fillQuery(query, at, flux)
    return { ...plain, body, declared: body }
  }
  return reading(at, reads ? { ...plain, unread: true as const } : plain, () => {
    const { filled } = fillOption(flux.parse(query), 'params', at)
    const task = reads ? fillOption(filled, 'task', at) : undefined
    const rest = withoutOption(filled, 'task')
    const body = rest === filled ? query : flux.print(rest)
    return { body, declared: task === undefined ? body : flux.print(task.filled), option: task?.parameters ?? [] }
  })
}

/** The same tree if the option has no parameters. */
function fillOption(
  tree: JsonObject,
  name: 'params' | 'task',
  at: QueryOwner,
): { readonly filled: JsonObject; readonly parameters: readonly Parameter[] } {
  const properties = readOption(tree, name)
  if (properties === undefined) warnUnused(at, name)
  const parameters = properties === undefined ? [] : readParameters(at, name, properties)
  return {
    filled: parameters.length === 0 ? tree : withValues(tree, name, parameterExpressions(parameters)),
    parameters,
  }
}

function warnUnused({ fields }: QueryOwner, list: 'params' | 'task'): void {
  if (fields.list(list).length > 0)
    fields.warning(
      list,
      'no-effect',
      `${list} has no effect, because the query does not set \`option ${list}\` to a record`,
    )
}

function reading<T>({ fields }: QueryOwner, otherwise: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FluxError)) throw error
    const hint = 'A query that sets `option params` or `option task` must be valid Flux.'
    fields.error('query', 'unreadable-query', `the query sets options, but ${error.message}`, hint)
    return otherwise
  }
}

import type { Document } from '../../../model/resources/document.js'
import type { JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { quoted } from '../../../lib/text/printable.js'
import { asText } from '../../../model/scalar.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { canonicalFlux } from '../flux/canonical-flux.js'
import { normaliseDuration } from '../fields/duration.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import { fillTaskQuery } from '../flux/fill-query.js'
import { setsOption } from '../flux/flux-words.js'
import { stateName, mappedText, trimmedText, exportedFields } from '../state.js'
import { runHealth } from '../health.js'
import { labelMappings } from '../label/label-mapping.js'
import type { KindContext } from '../kind-context.js'
import { inKeyOrder, type Parameter } from '../flux/parameters.js'
import { readSchedule, type Schedule } from './task-schedule.js'
import { normalisedStatus, readStatus } from '../fields/status.js'
import type { Wire } from '../wire.js'

export interface TaskSpec extends Labelled, Referring, Schedule {
  readonly name: string
  readonly description: string
  /** Without `option task`. */
  readonly query: string
  /** The query with its `option task`, if that could be read. */
  readonly declared: string
  readonly status: string
}

/**
 * State: `{name, description, cron, every, offset, query, status}`, always complete. One of cron and every is '', so
 * changing from one to the other clears the first.
 */
export function taskKind({ flux }: Pick<KindContext, 'flux'>): Kind<TaskSpec> {
  const canonical = canonicalFlux(flux)
  return {
    kind: 'Task',
    apiVersions,
    family: 'Task',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readTask(spec, document, { flux }), readAssociations),
    ),
    references: () => [],
    parts: { documents: ({ associations }, document) => labelMappings('Task', associations, document) },
    encode: ({ name, description, cron, every, offset, query, status }) => ({
      name,
      description,
      cron,
      every,
      offset,
      query,
      status,
    }),
    normalise: (state) => ({ ...normaliseTask(state), ...mappedText(state, 'query', canonical) }),
    displayName: stateName,
    authored: { declare: declareTask },
    health: runHealth,
    inputs: { envReferences: ({ envReferences }) => inKeyOrder(envReferences) },
  }
}

/** The InfluxDB API's form of a task. A summary shows the query as it was declared. */
export const taskWire: Wire<TaskSpec> = {
  diff: taskFields,
  summary: (state, { id }, { declared }) => ({ id, ...taskFields(state), query: declared }),
}

function readTask(
  spec: Fields,
  document: Document,
  { flux }: Pick<KindContext, 'flux'>,
): Omit<TaskSpec, 'associations' | 'envReferences'> {
  const reads = document.apiVersion === apiVersions[1]
  const query = spec.text('query')?.trim() ?? ''
  const at = { fields: spec, owner: `tasks[${document.name}]` }
  const { body, declared, option, unread } = fillTaskQuery(query, at, { flux, reads })
  if (!reads) warnOption(spec, query)
  const entries = new Map(option.map((parameter) => [parameter.key, parameter]))
  for (const key of entries.keys()) warnNoEffect(spec, key)
  return {
    name: readName(spec, document, entries.get('name')),
    description: spec.text('description') ?? '',
    ...readSchedule(spec, entries, unread),
    query: needed(spec, body),
    declared,
    status: readStatus(spec),
  }
}

/** The name of `option task` overrides the spec. Summaries then list its reference twice, with one key. */
function readName(spec: Fields, document: Document, parameter: Parameter | undefined): string {
  if (parameter === undefined) return readDisplayName(spec, document, 1)
  if (spec.raw('name') !== undefined)
    spec.warning('name', 'no-effect', 'name has no effect, because the task option sets the name')
  const { envReferences } = spec.report
  const at = envReferences.findIndex(({ field }) => field === 'spec.task.name')
  envReferences.splice(at, 0, { ...envReferences[at]!, field: 'spec.name' })
  const name = parameter.literal?.type === 'string' ? (asText(parameter.literal.value) ?? '') : ''
  if (name === '') {
    const message = 'name of the task option is not a text of at least 1 character'
    spec.report.error('/spec/task/name', {
      code: 'kinds/wrong-type',
      message,
      hint: 'Write a text, or remove it.',
    })
  }
  return name || document.name
}

/** Schedules of v2alpha1 are in the spec only. */
function warnOption(spec: Fields, query: string): void {
  const list = spec.raw('task')
  if (list !== undefined)
    spec.warning('task', 'unknown-field', 'task belongs to influxdata.com/v2alpha2; it is ignored')
  if (setsOption(query, 'task'))
    spec.warning('query', 'no-effect', 'the task option of the query has no effect; the spec sets the schedule')
}

function warnNoEffect(spec: Fields, key: string): void {
  if (!['name', 'every', 'offset'].includes(key))
    spec.warning(
      'query',
      'no-effect',
      `${quoted(key)} of the task option has no effect`,
      'Only name, every and offset are read from it.',
    )
}

function needed(spec: Fields, query: string): string {
  if (query === '') spec.error('query', 'required', 'there is no query')
  return query
}

function normaliseTask(state: JsonObject): JsonObject {
  return {
    ...state,
    ...mappedText(state, 'every', normaliseDuration),
    ...mappedText(state, 'offset', normaliseDuration),
    ...trimmedText(state, 'cron'),
    ...normalisedStatus(state),
  }
}

function declareTask({ name, description, cron, every, offset, query, status }: JsonObject): JsonObject {
  return exportedFields({ name, description, cron, every, offset, query, status: status === 'active' ? '' : status })
}

function taskFields({ name, cron, description, every, offset, query, status }: JsonObject): JsonObject {
  const fields = { name, cron, description, every, offset, query, status }
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value ?? '']))
}

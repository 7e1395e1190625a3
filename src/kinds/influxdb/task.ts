import type { Document } from '../../model/document.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { quoted } from '../../model/printable.js'
import { readAssociations, type Labelled } from './associations.js'
import { formatDuration, isWholeSeconds, normaliseDuration } from './duration.js'
import { apiVersions, decodeDocument, readDisplayName, remembering, type Referring } from './envelope.js'
import type { Fields } from './fields.js'
import { heldName, mappedText, trimmedText } from './held.js'
import { labelMappings } from './label-mapping.js'

export interface TaskSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** '': by `every`. */
  readonly cron: string
  /** Durations as Go prints them; '': none. */
  readonly every: string
  readonly offset: string
  readonly query: string
  readonly status: string
}

const statuses = ['active', 'inactive']

/**
 * Packages 1.12, v2alpha1. Held: `{name, description, cron, every, offset, query, status}`, all of them always: of cron and every one is '', so
 * that changing from one to the other clears the first. Scripts are compared after trimming.
 */
export function taskKind(): Kind<TaskSpec> {
  return {
    kind: 'Task',
    apiVersions: apiVersions.slice(0, 1),
    family: 'Task',
    onRemove: 'remove',
    decode: remembering((document) => decodeDocument(document, (spec) => readTask(spec, document), readAssociations)),
    references: () => [],
    parts: ({ associations }, document) => labelMappings('Task', associations, document),
    encode: ({ name, description, cron, every, offset, query, status }) => ({ name, description, cron, every, offset, query, status }),
    normalise: normaliseTask,
    displayName: heldName,
    envReferences: ({ envReferences }) => envReferences,
  }
}

function readTask(spec: Fields, document: Document): Omit<TaskSpec, 'associations' | 'envReferences'> {
  refuseLater(spec)
  return {
    name: readDisplayName(spec, document, 1),
    description: spec.text('description') ?? '',
    ...readSchedule(spec),
    offset: readOffset(spec),
    query: readQuery(spec),
    status: readStatus(spec),
  }
}

/** Leaving parameters out would run another script than the author declared. */
function refuseLater(spec: Fields): void {
  if (spec.list('params').length > 0)
    spec.error('params', 'later-field', 'params of a task come with a later version of gitmoor', 'Write the values into the query.')
  if (spec.raw('task') !== undefined) spec.warning('task', 'unknown-field', 'task belongs to influxdata.com/v2alpha2; it is ignored')
}

function readSchedule(spec: Fields): { readonly cron: string; readonly every: string } {
  const cron = spec.text('cron')?.trim() ?? ''
  const every = spec.duration('every')
  const given = every !== undefined && every !== 'unparsable' && every !== 0n
  if (given && cron !== '') spec.error('cron', 'not-allowed', 'cron and every are both set', 'Keep one of the two.')
  if (!given && cron === '') {
    const absent = 'one of every and cron is needed'
    spec.error('every', 'required', every === 'unparsable' ? `${notDuration(spec, 'every')}, and ${absent}` : absent)
    spec.error('cron', 'required', absent)
  } else if (every === 'unparsable') spec.warning('every', 'wrong-type', `${notDuration(spec, 'every')}, and reads as absent`)
  if (given && (every < 0n || !isWholeSeconds(every)))
    spec.error('every', 'not-allowed', 'every is not a number of whole seconds above 0', durationHint)
  return { cron, every: given ? formatDuration(every) : '' }
}

function readOffset(spec: Fields): string {
  const offset = spec.duration('offset') ?? 0n
  if (offset === 'unparsable') spec.warning('offset', 'wrong-type', `${notDuration(spec, 'offset')}, and reads as absent`, durationHint)
  else if (isWholeSeconds(offset)) return formatDuration(offset)
  else spec.error('offset', 'not-allowed', 'offset is not a number of whole seconds', durationHint)
  return ''
}

const durationHint = 'Write a duration such as 1h30m or 15s.'

function notDuration(spec: Fields, key: string): string {
  const value = spec.raw(key)
  return `${key} ${typeof value === 'string' ? `${quoted(value)} ` : ''}is not a duration`
}

function readQuery(spec: Fields): string {
  const query = spec.text('query')?.trim() ?? ''
  if (query === '') spec.error('query', 'required', 'there is no query')
  return query
}

function readStatus(spec: Fields): string {
  const status = spec.word('status') || 'active'
  if (!statuses.includes(status)) spec.error('status', 'not-allowed', `the status ${quoted(status)} is not one of ${statuses.join(', ')}`)
  return status
}

function normaliseTask(held: JsonObject): JsonObject {
  return {
    ...held,
    ...mappedText(held, 'every', normaliseDuration),
    ...mappedText(held, 'offset', normaliseDuration),
    ...trimmedText(held, 'cron'),
    ...trimmedText(held, 'query'),
    ...mappedText(held, 'status', (status) => status.trim().toLowerCase()),
  }
}

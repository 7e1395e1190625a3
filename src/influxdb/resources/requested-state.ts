// The state that a request of InfluxDB's resource API asks for. Pure.
import type { Json, JsonObject } from '../../model/json.js'
import { isObject } from '../../model/json.js'
import { Refused } from '../../model/errors.js'
import type { Observed } from '../../model/resources/resource.js'
import { chartFromView, listEntries, resourceForms, resourceStates, taskOption } from '../kinds/kinds.js'

/** Of a request that creates a resource. Errors: `Refused` usage. */
export function createdState(family: string, body: JsonObject): JsonObject {
  const { state } = resourceStates[family]!(family === 'Task' ? withSchedule(body) : body)
  const status = state['status'] === '' ? { status: 'active' } : {}
  return { ...state, ...status, ...(family === 'Dashboard' ? { charts: newCharts(body['cells']) } : {}) }
}

/** Of a request that replaces a resource. An endpoint keeps the secrets that are its own. */
export function replacedState(family: string, body: JsonObject): (now: Observed) => JsonObject {
  return ({ identity, actual }) => {
    const { state, ownSecrets } = resourceStates[family]!({ ...body, id: identity })
    return { ...state, ...kept(actual, ownSecrets) }
  }
}

/** Of a request that changes some fields. Errors: `Refused` usage. */
export function patchedState(family: string, body: JsonObject): (now: Observed) => JsonObject {
  return ({ identity, actual }) => {
    const context = { id: identity, orgID: '', orgName: '', endpointType: (): Json => 'slack' }
    const form = resourceForms[family]!(actual, context)
    const { state, ownSecrets } = resourceStates[family]!(patched(family, form, body))
    const cells = body['cells']
    const charts = family === 'Dashboard' && Array.isArray(cells) ? { charts: newCharts(cells) } : {}
    return { ...actual, ...state, ...kept(actual, ownSecrets), ...charts }
  }
}

function kept(actual: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.flatMap((field) => (actual[field] === undefined ? [] : [[field, actual[field]]])))
}

function patched(family: string, form: JsonObject, body: JsonObject): JsonObject {
  const given = Object.fromEntries(Object.entries(body).filter(([key, value]) => key !== 'id' && value !== null))
  if (family === 'Task') return patchedTask(form, given)
  const changed = { ...form, ...given }
  const { retentionRules, properties } = given
  if (family === 'Bucket' && listEntries(retentionRules).length === 0)
    return { ...changed, retentionRules: form['retentionRules']! }
  if (family === 'Label' && isObject(properties) && isObject(form['properties']))
    return { ...changed, properties: { ...form['properties'], ...properties } }
  return changed
}

/** The fields of the request win over the option of its Flux. One of every and cron ends the other. */
function patchedTask(form: JsonObject, given: JsonObject): JsonObject {
  const changed = given['flux'] === undefined ? form : { ...form, ...withSchedule(given) }
  const other = { ...(given['every'] ? { cron: '' } : {}), ...(given['cron'] ? { every: '' } : {}) }
  return { ...changed, ...given, ...other }
}

/** A task's name and schedule are in the option of its Flux. */
function withSchedule(body: JsonObject): JsonObject {
  const { flux } = body
  const option = typeof flux === 'string' ? taskOption(flux) : undefined
  if (option === undefined)
    throw new Refused('usage', 'The flux of the task has no `option task = {name: "…", every: 1h}`.')
  return { ...body, ...option }
}

/** InfluxDB reads the views of cells that come with a dashboard one level too deep. */
function newCharts(cells: Json | undefined): readonly JsonObject[] {
  return listEntries(cells)
    .filter(isObject)
    .map(({ x, y, w, h, name, properties }) =>
      chartFromView({
        x: x ?? 0,
        y: y ?? 0,
        w: w ?? 0,
        h: h ?? 0,
        name: name ?? '',
        properties: (isObject(properties) ? properties['properties'] : undefined) ?? { shape: 'empty' },
      }),
    )
}

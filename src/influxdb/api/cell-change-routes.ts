// InfluxDB's resource API: changes of the cells of a dashboard and of their views.
import type { Json } from '../../model/json.js'
import type { Api } from '../../api/v1/endpoint.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'
import type { DashboardCell } from '../kinds/kinds.js'
import {
  addedCell,
  changedView,
  movedCell,
  removedCell,
  replacedCells,
  withCells,
  type CellChange,
} from '../resources/cell-changes.js'
import { updateResource } from '../resources/change-resources.js'
import { addChangeEndpoint, findChangeable, readObject } from './direct-writes.js'
import { cellJson, findResource, viewJson } from './resource-routes.js'
import type { WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'

const family = 'Dashboard'

export function addCellChangeRoutes(api: Api, call: CallUseCase): void {
  const path = '/api/v2/dashboards/:id/cells'
  addChangeEndpoint(api, call, { method: 'post', path }, async (request) => {
    const { id, change } = addedCell(readObject(request.body))
    const { dashboard, cells } = await changeCells(call, request, change)
    return { status: 201, json: cellJson(dashboard, named(cells, id), false) }
  })
  addChangeEndpoint(api, call, { method: 'put', path }, async (request) => {
    const { dashboard, cells } = await changeCells(call, request, replacedCells(request.body as Json))
    const links = { self: `/api/v2/dashboards/${dashboard}/cells` }
    return { status: 201, json: { cells: cells.map((cell) => cellJson(dashboard, cell, false)), links } }
  })
  addChangeEndpoint(api, call, { method: 'patch', path: `${path}/:cell` }, async (request) => {
    const id = cellId(request)
    const { dashboard, cells } = await changeCells(call, request, movedCell(id, readObject(request.body)))
    return { status: 200, json: cellJson(dashboard, named(cells, id), false) }
  })
  addChangeEndpoint(api, call, { method: 'delete', path: `${path}/:cell` }, async (request) => {
    await changeCells(call, request, removedCell(cellId(request)))
    return { status: 204 }
  })
  addChangeEndpoint(api, call, { method: 'patch', path: `${path}/:cell/view` }, async (request) => {
    const id = cellId(request)
    const { dashboard, cells } = await changeCells(call, request, changedView(id, readObject(request.body)))
    return { status: 200, json: viewJson(dashboard, named(cells, id)) }
  })
}

async function changeCells(
  call: CallUseCase,
  request: WireRequest,
  change: CellChange,
): Promise<{ readonly dashboard: string; readonly cells: readonly DashboardCell[] }> {
  const { id, organisation } = await findChangeable(call, request, family)
  const resource = { organisation, family, id }
  await call(updateResource, resource, ({ actual }) => withCells(actual, id, change), request.signal)
  return { dashboard: id, cells: (await findResource(call, request, family)).cells }
}

function cellId({ param }: WireRequest): string {
  return readId(param('cell'), 'cell id')
}

/** The cell was just written under this id, and may be gone by now. */
function named(cells: readonly DashboardCell[], id: string): DashboardCell {
  const cell = cells.find((one) => one.id === id)
  if (cell === undefined) throw new WireRefusal('not found', `The cell ${id} was removed meanwhile.`)
  return cell
}

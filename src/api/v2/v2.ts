// api/v2: InfluxDB's HTTP API for packages and stacks (docs/reference/influxdb-api.md). Takes use cases; gives routes.
// Promises: ids are checked before anything else; unknown properties are ignored; every error has a code of InfluxDB.
import type { Api } from '../v1/endpoint.js'
import { addExportRoutes } from './export-routes.js'
import { addOrganisationRoutes } from './instance-routes.js'
import { addStacksRoutes } from './stacks-routes.js'
import { addTemplateRoutes } from './templates-routes.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

/** All routes of `/api/v2` that need the token. */
export function addWireRoutes(api: Api, call: CallUseCase): void {
  addOrganisationRoutes(api, call)
  addExportRoutes(api, call)
  addStacksRoutes(api, call)
  addTemplateRoutes(api, call)
}

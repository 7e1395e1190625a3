// api/v2: the reference's own HTTP API for packages and stacks (packages 8). Takes the verbs; gives routes whose answers and errors have the reference's shape.
// Promises: ids are checked before anything else; what is unknown in a request is ignored; every error has a code of packages 8.1.
import type { Verbs } from '../../stacks/verbs.js'
import type { Api } from '../endpoint.js'
import { addExportRoutes } from './export-routes.js'
import { addOrganisationRoutes } from './instance-routes.js'
import { addStacksRoutes } from './stacks-routes.js'
import { addTemplateRoutes } from './templates-routes.js'

/** All of `/api/v2` that wants the token. */
export function addWireRoutes(api: Api, verbs: Verbs): void {
  addOrganisationRoutes(api, verbs)
  addExportRoutes(api, verbs)
  addStacksRoutes(api, verbs)
  addTemplateRoutes(api, verbs)
}

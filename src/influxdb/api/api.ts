// influxdb/api: InfluxDB's HTTP API for packages, stacks and resources (docs/reference/influxdb-api.md).
// Takes use cases; gives routes.
// Promises: ids are checked before anything else; unknown properties are ignored; every error has a code of InfluxDB.
import type { ApiExtension } from '../../api/api-extension.js'
import { addChangeRoutes } from './change-routes.js'
import { addExportRoutes } from './export-routes.js'
import { addOrganisationRoutes, addProbeRoutes, addVersionHeaders } from './instance-routes.js'
import { addResourceRoutes } from './resource-routes.js'
import { addStacksRoutes } from './stacks-routes.js'
import { addTemplateRoutes } from './templates-routes.js'
import { codeHeader, toWireError } from './wire-error.js'

/** Errors of `/ping` and `/health` have gitmoor's own form. */
export const influxdbApi: ApiExtension = {
  examples: {
    apiVersion: 'influxdata.com/v2alpha1',
    kind: 'Bucket',
    target: { name: 'local', platform: 'embedded', labels: {}, organisation: 'main', stacks: 1, refused: null },
  },
  owns: (path) => /^\/api\/v2(?:\/|$)/.test(path),
  takesPackages: (path) => /^\/api\/v2\/templates\/apply\/?$/.test(path),
  addPublicRoutes: (api, call, version) => {
    for (const path of ['/api/v2/*', '/ping', '/health']) api.use(path, addVersionHeaders(version))
    addProbeRoutes(api, call, version)
  },
  addRoutes: (api, call) => {
    addOrganisationRoutes(api, call)
    addExportRoutes(api, call)
    addStacksRoutes(api, call)
    addResourceRoutes(api, call)
    addChangeRoutes(api, call)
    addTemplateRoutes(api, call)
  },
  toResponse: (error, answer) => {
    const { http, code, body } = toWireError(error, answer)
    return { http, headers: { [codeHeader]: code }, body }
  },
}

// Export in the form of the InfluxDB API.
import { z } from '@hono/zod-openapi'
import { Refused } from '../../model/errors.js'
import { formatProblem, type Problem } from '../../model/problem.js'
import { jsonTexts, yamlTexts } from '../../package/print-package.js'
import {
  mostSelectors,
  type ExportRequest,
  type ResourceSelector,
  type TargetSelector,
} from '../../stacks/export/export-request.js'
import type { ExportView } from '../../views/packages/export.js'
import type { Api } from '../../api/v1/endpoint.js'
import { isYaml } from './wire-body.js'
import { addWireEndpoint, type WireAnswer } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'
import { readKind } from './wire-kind.js'
import { exportPackage } from '../../stacks/export/export.js'
import { listOrganisations } from '../templates/organisations.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

const path = '/api/v2/templates/export'

const texts = z.array(z.string()).max(mostSelectors).nullish()
const bodySchema = z.object({
  stackID: z.string().nullish(),
  orgIDs: z
    .array(
      z.object({ orgID: z.string(), resourceFilters: z.object({ byLabel: texts, byResourceKind: texts }).nullish() }),
    )
    .max(mostSelectors)
    .nullish(),
  resources: z
    .array(z.object({ kind: z.unknown(), id: z.string().nullish(), name: z.string().nullish() }))
    .max(mostSelectors)
    .nullish(),
})

/** `POST /api/v2/templates/export`. Warnings are in a header, and in YAML also in comments. */
export function addExportRoutes(api: Api, call: CallUseCase): void {
  addWireEndpoint(api, { method: 'post', path, takesBody: refuseOtherTypes }, async ({ body, header, signal }) => {
    const { request, unknown } = await readRequest(body, call)
    const isNothing =
      unknown.length > 0 && request.stackID === undefined && request.targets.length + request.resources.length === 0
    const { documents, problems } = isNothing
      ? emptyExport
      : await call(exportPackage, request, signal).catch(throwUnprocessable)
    return exportAnswer({ documents, problems: [...unknown.map(unknownOrganisation), ...problems] }, header('accept'))
  })
}

function refuseOtherTypes(contentType: string | undefined): void {
  if (isYaml(contentType) || /^application\/json *(;|$)/i.test(contentType ?? '')) return
  throw new WireRefusal(
    'invalid',
    'The body is declared neither as JSON nor as YAML. Send `Content-Type: application/json`.',
    {
      http: 415,
    },
  )
}

const emptyExport: ExportView = { documents: [], problems: [] }

interface ParsedExport {
  readonly request: ExportRequest & Required<Pick<ExportRequest, 'targets' | 'resources'>>
  /** Warnings about organisations that do not exist. */
  readonly unknown: readonly string[]
}

async function readRequest(body: unknown, call: CallUseCase): Promise<ParsedExport> {
  const parsed = bodySchema.safeParse(body)
  if (!parsed.success) throw new WireRefusal('invalid', `The request cannot be read: ${describeIssue(parsed.error)}`)
  const { stackID, orgIDs, resources } = parsed.data
  const ofStack = stackID ? { stackID: readId(stackID, 'stack id') } : {}
  const organisations = orgIDs?.length ? await call(listOrganisations) : []
  const organisationFilters = (orgIDs ?? []).map((one, at) => ({
    ...readFilters(one, at),
    id: readId(one.orgID, 'organization id'),
  }))
  const matched = organisationFilters.map(({ id, ...filters }) => ({
    id,
    filters,
    target: organisations.find((one) => one.id === id)?.target,
  }))
  const targets = matched.flatMap(({ filters, target }): readonly TargetSelector[] =>
    target === undefined ? [] : [{ target, ...filters }],
  )
  const unknown = matched.flatMap(({ id, target }) => (target === undefined ? [id] : []))
  return { request: { ...ofStack, targets, resources: (resources ?? []).map(readSelector) }, unknown }
}

function describeIssue({ issues }: z.ZodError): string {
  const [first] = issues
  return `${first?.path.join('.') || 'the body'}: ${first?.message ?? 'it is not as it should be'}.`
}

type OrganisationEntry = NonNullable<z.output<typeof bodySchema>['orgIDs']>[number]
type ResourceEntry = NonNullable<z.output<typeof bodySchema>['resources']>[number]

function readFilters({ resourceFilters }: OrganisationEntry, at: number): Omit<TargetSelector, 'target'> {
  const where = `orgIDs[${at}].resourceFilters.byResourceKind`
  const kinds = (resourceFilters?.byResourceKind ?? []).map((kind, i) =>
    readKind(kind, `${where}[${i}]`, 'unprocessable entity'),
  )
  return { labels: resourceFilters?.byLabel ?? [], kinds }
}

function unknownOrganisation(id: string): Problem {
  const message = `There is no organization with the id ${id}; nothing is exported of it.`
  return { severity: 'warning', code: 'stacks/export-organisation-unknown', message }
}

function readSelector({ kind: named, id, name }: ResourceEntry, at: number): ResourceSelector {
  const kind = readKind(named, `resources[${at}].kind`, 'unprocessable entity')
  return { kind, ...(id ? { id: readId(id, 'resource id') } : {}), ...(name ? { name } : {}) }
}

/** An invalid entry, or no entry at all, is 422. */
function throwUnprocessable(error: unknown): never {
  if (!(error instanceof Refused) || error.status !== 'usage') throw error
  const { message, hint } = error
  throw new WireRefusal('unprocessable entity', hint === undefined ? message : `${message} ${hint}`, { cause: error })
}

function exportAnswer({ documents, problems }: ExportView, accept: string | undefined): WireAnswer {
  const remarks = problems.map(formatProblem)
  const headers = remarks.length === 0 ? {} : { headers: { 'Gitmoor-Warnings': warningHeader(problems) } }
  const inYaml = (accept ?? '').split(',').some((type) => isYaml(type.trim()))
  const text = inYaml
    ? { type: 'application/x-yaml', pieces: yamlTexts(documents, remarks) }
    : { type: 'application/json; charset=utf-8', pieces: jsonTexts(documents, '\t') }
  return { status: 200, text, ...headers }
}

const mostHeader = 4_000

/** A header is one short line of ASCII. */
function warningHeader(problems: readonly Problem[]): string {
  const text = problems.map(({ message }) => message).join(' ')
  const ascii = text.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return ascii.length > mostHeader ? `${ascii.slice(0, mostHeader)}...` : ascii
}

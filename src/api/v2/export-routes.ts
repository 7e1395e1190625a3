// Export in the reference's wire format (packages 7, 8.3).
import { z } from '@hono/zod-openapi'
import { Refused } from '../../model/errors.js'
import { formatProblem, type Problem } from '../../model/problem.js'
import { printJsonPackage, printYamlPackage } from '../../package/print-package.js'
import type { ExportRequest, WantedTarget, WantedThing } from '../../stacks/export/export-request.js'
import type { Verbs } from '../../stacks/verbs.js'
import type { ExportView } from '../../stacks/views.js'
import type { Api } from '../endpoint.js'
import { mostSelectors } from '../export-routes.js'
import { isYaml } from './wire-body.js'
import { addWireEndpoint, type WireAnswer } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'

const path = '/api/v2/templates/export'

const texts = z.array(z.string()).max(mostSelectors).nullish()
const bodySchema = z.object({
  stackID: z.string().nullish(),
  orgIDs: z
    .array(z.object({ orgID: z.string(), resourceFilters: z.object({ byLabel: texts, byResourceKind: texts }).nullish() }))
    .max(mostSelectors)
    .nullish(),
  resources: z
    .array(z.object({ kind: z.string(), id: z.string().nullish(), name: z.string().nullish() }))
    .max(mostSelectors)
    .nullish(),
})

/** `POST /api/v2/templates/export` (packages 8.3). Warnings stand in a header, and in YAML as comments. */
export function addExportRoutes(api: Api, verbs: Verbs): void {
  api.use(path, async (c, next) => {
    if (c.req.method === 'POST') refuseOtherTypes(c.req.header('content-type'))
    await next()
  })
  addWireEndpoint(api, { method: 'post', path }, async ({ body, header, signal }) => {
    const request = await readRequest(body, verbs)
    const exported = await verbs.export(request, signal).catch(unprocessable)
    return answerOf(exported, header('accept'))
  })
}

function refuseOtherTypes(contentType: string | undefined): void {
  if (isYaml(contentType) || /^application\/json *(;|$)/i.test(contentType ?? '')) return
  throw new WireRefusal('invalid', 'The body is declared neither as JSON nor as YAML. Send `Content-Type: application/json`.', {
    http: 415,
  })
}

async function readRequest(body: unknown, verbs: Verbs): Promise<ExportRequest> {
  const parsed = bodySchema.safeParse(body)
  if (!parsed.success) throw new WireRefusal('invalid', `The request cannot be read: ${describeIssue(parsed.error)}`)
  const { stackID, orgIDs, resources } = parsed.data
  const stack = stackID ? readId(stackID, 'stack id') : undefined
  const targets = await Promise.all((orgIDs ?? []).map((one) => readTarget(one, verbs)))
  return { ...(stack === undefined ? {} : { stack }), targets, resources: (resources ?? []).map(readWanted) }
}

function describeIssue({ issues }: z.ZodError): string {
  const [first] = issues
  return `${first?.path.join('.') || 'the body'}: ${first?.message ?? 'it is not as it should be'}.`
}

type AskedTarget = NonNullable<z.output<typeof bodySchema>['orgIDs']>[number]
type AskedThing = NonNullable<z.output<typeof bodySchema>['resources']>[number]

async function readTarget({ orgID, resourceFilters }: AskedTarget, verbs: Verbs): Promise<WantedTarget> {
  const id = readId(orgID, 'organization id')
  const found = (await verbs.organisations()).find((one) => one.id === id)
  if (found === undefined) throw new WireRefusal('not found', `There is no organization with the id ${id}.`)
  return { target: found.target, labels: resourceFilters?.byLabel ?? [], kinds: resourceFilters?.byResourceKind ?? [] }
}

function readWanted({ kind, id, name }: AskedThing): WantedThing {
  return { kind, ...(id ? { id: readId(id, 'resource id') } : {}), ...(name ? { name } : {}) }
}

/** An entry that cannot be meant, or none at all (D42). */
function unprocessable(error: unknown): never {
  if (!(error instanceof Refused) || error.status !== 'usage') throw error
  const { message, hint } = error
  throw new WireRefusal('unprocessable entity', hint === undefined ? message : `${message} ${hint}`, { cause: error })
}

function answerOf({ documents, problems }: ExportView, accept: string | undefined): WireAnswer {
  const remarks = problems.map(formatProblem)
  const headers = remarks.length === 0 ? {} : { headers: { 'Gitmoor-Warnings': headerOf(problems) } }
  if ((accept ?? '').split(',').some((type) => isYaml(type.trim())))
    return { status: 200, text: { type: 'application/x-yaml', content: printYamlPackage(documents, remarks) }, ...headers }
  return { status: 200, text: { type: 'application/json; charset=utf-8', content: printJsonPackage(documents, '\t') }, ...headers }
}

const mostHeader = 4_000

/** A header is one short line of ASCII. */
function headerOf(problems: readonly Problem[]): string {
  const text = problems.map(({ message }) => message).join(' ')
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return ascii.length > mostHeader ? `${ascii.slice(0, mostHeader)}...` : ascii
}

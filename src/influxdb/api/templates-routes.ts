// Packages over the InfluxDB API: dry run and apply.
import type { TemplateOutcome, TemplateRequest } from '../templates/templates.js'
import { WorkerThread } from '../../sandbox/worker-thread.js'
import type { ApiContext } from '../../api/request-context.js'
import type { Api } from '../../api/v1/endpoint.js'
import { readTemplateBody, type TemplateBody, type TemplateBodyAnswer } from './template-body.js'
import { addWireEndpoint, type WireAnswer } from './wire-endpoint.js'
import { codeHeader, WireRefusal, wireStatus } from './wire-error.js'
import { applyTemplate, dryRunTemplate } from '../templates/templates.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

/** `POST /api/v2/templates/apply`. */
export function addTemplateRoutes(api: Api, call: CallUseCase): void {
  addWireEndpoint(
    api,
    { method: 'post', path: '/api/v2/templates/apply', takesBody: refuseJsonnet, read: bodyReader() },
    async ({ body, by, signal }) => {
      const { dryRun, ...request } = body as TemplateRequest & { readonly dryRun: boolean }
      return dryRun
        ? answer(200, await call(dryRunTemplate, request, signal))
        : answer(201, await call(applyTemplate, request, by, signal))
    },
  )
}

/** A large body is parsed in a thread. Its answer is the text of the packages, which is cheap to copy. */
const largeBytes = 64 * 1024

function bodyReader(): (c: ApiContext) => Promise<TemplateRequest> {
  const thread = new WorkerThread<TemplateBody, TemplateBodyAnswer>(new URL('./template-thread.js', import.meta.url))
  return async (c) => {
    const body = { bytes: c.get('body'), contentType: c.req.header('content-type') }
    if (body.bytes.length <= largeBytes) return readTemplateBody(body)
    const answer = await thread.exclusively((ask) => ask(body, transferable(body)), c.get('signal')!)
    if (answer.is === 'request') return answer.request
    throw new WireRefusal(answer.wire, answer.message, { http: answer.http })
  }
}

/** Buffers to transfer instead of copying: the bytes of the body are not read again. */
function transferable({ bytes }: TemplateBody): readonly ArrayBuffer[] {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

/** Refuses Jsonnet as the content type of a request: the API does not evaluate Jsonnet. */
function refuseJsonnet(contentType: string | undefined): void {
  if (!/^application\/x-jsonnet *(;|$)/i.test(contentType ?? '')) return
  const hint = 'Evaluate the Jsonnet where it is, and send what comes of it as application/json.'
  throw new WireRefusal(
    'unprocessable entity',
    `invalid encoding: the body is declared as Jsonnet, which is not evaluated over the API. ${hint}`,
  )
}

/** The answer to an invalid package shows its valid part. */
function answer(status: 200 | 201, { answer: json, invalid: message }: TemplateOutcome): WireAnswer {
  if (message === undefined) return { status, json, numbers: true }
  const code = 'unprocessable entity'
  return { status: wireStatus[code], json: { code, message, ...json }, numbers: true, headers: { [codeHeader]: code } }
}

// Parses the body of a dry run or an apply from its bytes, without the request, so a thread can do it for a large body.
import type { TemplateRequest } from '../templates/templates.js'
import { readTemplateRequest } from './template-request.js'
import { readWireText } from './wire-body.js'
import { WireRefusal } from './wire-error.js'

export interface TemplateBody {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
}

/** The answer of a thread. */
export type TemplateBodyAnswer =
  | { readonly is: 'request'; readonly request: TemplateRequest & { readonly dryRun: boolean } }
  | ({ readonly is: 'refused' } & Pick<WireRefusal, 'wire' | 'message' | 'http'>)

/** Entries of a request, not counting the text of its packages. */
const mostEntries = 50_000

/** Errors: `WireRefusal`. */
export function readTemplateBody({ bytes, contentType }: TemplateBody): TemplateRequest & { readonly dryRun: boolean } {
  const request = readTemplateRequest(readWireText(new TextDecoder('utf-8').decode(bytes), contentType), contentType)
  const { values, secrets, skips, remotes, packages } = request
  const lists = [
    Object.keys(values),
    Object.keys(secrets),
    skips,
    remotes,
    packages,
    ...packages.map(({ sources }) => sources),
  ]
  if (lists.reduce((sum, { length }) => sum + length, 0) > mostEntries)
    throw new WireRefusal(
      'invalid',
      `The body holds more than ${mostEntries} packages, sources, actions, values and secrets.`,
    )
  return request
}

/** The same as the answer of a thread. */
export function templateBodyAnswer(body: TemplateBody): TemplateBodyAnswer {
  try {
    return { is: 'request', request: readTemplateBody(body) }
  } catch (error) {
    if (!(error instanceof WireRefusal)) throw error
    const { wire, message, http } = error
    return { is: 'refused', wire, message, http }
  }
}

// Reads and checks requests about template stacks.
import { z } from 'zod'
import type { NewTemplateStack, TemplateStackChange } from '../templates/template-stack.js'
import { readId } from './wire-id.js'
import { readKind } from './wire-kind.js'
import { checkedUrls, parsedUrls } from './template-urls.js'
import { WireRefusal } from './wire-error.js'
import { schemaProblems } from '../../settings/schema/schema-problems.js'
import { description, displayName } from '../../settings/setting-forms.js'

const mostUrls = 20
const mostResources = 1_000

const urls = z.array(z.string().max(2_000)).max(mostUrls, `must list at most ${mostUrls} addresses.`)
const metaName = z
  .string()
  .regex(
    /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?$/,
    'must be a DNS label: up to 63 of a-z, 0-9 and -, neither a - first nor last.',
  )

const creation = z.object({
  orgID: z.unknown(),
  name: displayName.nullish(),
  description: description.nullish(),
  urls: urls.nullish(),
})

const resource = z.object({ resourceID: z.unknown(), kind: z.unknown() })

const update = z.object({
  name: displayName.nullish(),
  description: description.nullish(),
  templateURLs: urls.nullish(),
  urls: urls.nullish(),
  additionalResources: z
    .array(resource.extend({ templateMetaName: metaName.nullish() }))
    .max(mostResources)
    .nullish(),
  removeResources: z.array(resource).max(mostResources).nullish(),
})

/** Errors: `WireRefusal`. */
export function readNewStack(body: unknown): NewTemplateStack {
  const request = check(creation, body)
  return {
    orgID: readId(request.orgID, 'organization id'),
    name: request.name ?? '',
    description: request.description ?? '',
    urls: parsedUrls(request.urls ?? []),
  }
}

/** Null and absent: unchanged. Errors: `WireRefusal`. */
export function readStackUpdate(body: unknown): TemplateStackChange {
  const request = check(update, body)
  const given = [request.templateURLs, request.urls].filter((list) => list != null)
  return {
    ...(request.name == null ? {} : { name: request.name }),
    ...(request.description == null ? {} : { description: request.description }),
    ...(given.length === 0 ? {} : { urls: checkedUrls(given.flat()) }),
    adopt: (request.additionalResources ?? []).map(({ templateMetaName, ...one }, at) => ({
      ...readResource(one, `additionalResources[${at}]`),
      ...(templateMetaName == null || templateMetaName === '' ? {} : { metaName: templateMetaName }),
    })),
    untrack: (request.removeResources ?? []).map((one, at) => readResource(one, `removeResources[${at}]`)),
  }
}

function readResource(
  { kind, resourceID }: z.output<typeof resource>,
  where: string,
): { readonly kind: string; readonly id: string } {
  return { kind: readKind(kind, `${where}.kind`, 'unprocessable entity'), id: readId(resourceID, 'resource id') }
}

function check<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true })
  if (result.success) return result.data
  const findings = schemaProblems(result.error).map(({ message }) => message.replace(/^The document\b/, 'The body'))
  throw new WireRefusal('invalid', findings.join(' '), { cause: result.error })
}

// `webhooks` of the configuration file: the senders of notifications, and the secrets that authenticate them.
import { z } from 'zod'
import { asMap, duplicateField, invalidField, unresolvedTextProblems, type RawMap } from './entry-problems.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { providers } from '../model/agent/delivery.js'
import type { Problem } from '../model/problem.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { strictObject } from '../settings/schema/strict-object.js'
import { leastSecretCharacters } from '../webhooks/hook-secrets.js'
import type { Webhook } from '../webhooks/webhook.js'

const pointer = z.string().regex(/^(?:\/[^/]{1,100}){1,20}$/, 'must be a JSON Pointer, such as /repository/url.')
const header = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header.')

const genericFields = strictObject({
  header: header.default('X-Signature-256'),
  prefix: z
    .string()
    .regex(/^[\x21-\x7e]{0,50}$/, 'must be at most 50 printable characters without spaces.')
    .default('sha256='),
  delivery: header.optional(),
  ref: pointer.optional(),
  commit: pointer.optional(),
  repository: pointer.optional(),
})

export const webhookDocument = strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, - and _.')
    .optional(),
  provider: z.enum(providers),
  secret: z.string(),
  previousSecret: z.string().optional(),
  remotes: z.array(z.string().min(1, 'must not be empty.').max(2_000)).default([]),
  generic: genericFields.prefault({}),
})

export function toWebhook([name, document]: readonly [string, z.output<typeof webhookDocument>]): Webhook {
  const { id = name, previousSecret, generic, ...rest } = document
  const { header: signed, prefix, ...optional } = generic
  return {
    name,
    id,
    ...rest,
    ...withoutUndefined({ previousSecret }),
    generic: { header: signed, prefix, ...withoutUndefined(optional) },
  }
}

/** Duplicate ids, missing values, short secrets, and generic webhooks without a repository. */
export function webhookProblems(file: YamlFile, lookup: ValueLookup): readonly Problem[] {
  const firsts = new Map<string, YamlPath>()
  return Object.entries(asMap(asMap(file.value)['webhooks'])).flatMap(([name, entry]) => {
    const path = ['webhooks', name]
    const { id: given } = asMap(entry)
    const id = typeof given === 'string' ? given : name
    const idPath = [...path, 'id']
    const first = firsts.get(id)
    if (first === undefined) firsts.set(id, idPath)
    return [
      ...(first === undefined ? [] : [duplicateField(file, idPath, first, idHint)]),
      ...(isUnbounded(asMap(entry)) ? [invalidField(file, [...path, 'generic'], unboundedMessage)] : []),
      ...['secret', 'previousSecret'].flatMap((key) => secretProblems(file, [...path, key], lookup)),
    ]
  })
}

const idHint = 'Give one of the two another id. A webhook without an id has its name as id.'
const unboundedMessage = 'must set repository, unless "remotes" lists the remotes.'

/** True: a delivery would poll every remote that stacks follow. */
function isUnbounded({ provider, generic, remotes }: RawMap): boolean {
  return provider === 'generic' && !(Array.isArray(remotes) && remotes.length > 0) && !('repository' in asMap(generic))
}

function secretProblems(file: YamlFile, path: readonly string[], lookup: ValueLookup): readonly Problem[] {
  const unresolved = unresolvedTextProblems(file, path.slice(0, -1), path.slice(-1), lookup)
  const text = path.reduce<unknown>((value, step) => asMap(value)[step], file.value)
  if (typeof text !== 'string' || unresolved.length > 0) return unresolved
  const isShort = resolveValue(text, lookup).length < leastSecretCharacters
  return isShort ? [invalidField(file, path, `must have at least ${leastSecretCharacters} characters.`)] : []
}

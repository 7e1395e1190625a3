// `notifications` of the configuration file: who hears of failed, drifted and recovered stacks, and of plans that need
// approval.
import { resolve } from 'node:path'
import { z } from 'zod'
import { asMap, invalidField, unresolvedTextProblems, type RawMap } from './entry-problems.js'
import { transitionKinds } from '../model/agent/message.js'
import type { Problem } from '../model/problem.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { placeholderNames } from '../notifications/message-text.js'
import { templateTypes, type NotificationReceiver } from '../notifications/receiver.js'
import { templateProblem } from '../notifications/template.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import { malformedText, mostSelectorCharacters, parseSelector } from '../settings/labels.js'
import { intervalText } from '../settings/schema/checked-text.js'
import { parseInterval } from '../settings/schema/interval.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'
import { strictObject } from '../settings/schema/strict-object.js'

const url = z.string().min(1, 'must not be empty.').max(2_000)
const address = z.string().regex(/^[^\s<>@,;:"]{1,64}@[^\s<>@,;:"]{1,255}$/, 'must be an e-mail address.')
const sender = z
  .string()
  .regex(/^(?:[^\r\n<>]{0,100}<[^\s<>@,;:"]{1,64}@[^\s<>@,;:"]{1,255}>|[^\s<>@,;:"]{1,64}@[^\s<>@,;:"]{1,255})$/, {
    error: 'must be an e-mail address, optionally after a name: gitmoor <moor@example.com>.',
  })

const interval = (standard: string) =>
  intervalText('0s, 10s, 5m')
    .refine((text) => (parseInterval(text) ?? 0) <= 86_400_000, 'must be at most 1d.')
    .default(standard)

const webhook = strictObject({
  url,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header.'), z.string()).default({}),
  secret: z.string().optional(),
  body: z.string().min(1, 'must not be empty.').max(20_000).optional(),
  contentType: z.enum(templateTypes).default('application/json'),
})

const email = strictObject({
  server: z.string().regex(/^smtps?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/, {
    error: 'must be smtps://HOST:PORT or smtp://HOST:PORT.',
  }),
  username: z.string().optional(),
  password: z.string().optional(),
  from: sender,
  to: z.array(address).min(1, 'must not be empty.').max(50),
  ca: z.string().min(1, 'must not be empty.').optional(),
  allowUnencrypted: z.boolean().default(false),
})

export const notificationDocument = strictObject({
  webhook: webhook.optional(),
  slack: strictObject({ url }).optional(),
  email: email.optional(),
  on: z
    .array(z.enum(transitionKinds))
    .min(1, 'must not be empty.')
    .default([...transitionKinds]),
  stacks: z
    .array(z.string().regex(/^[a-z0-9.*-]{1,200}$/, 'must be the name of a stack, with * for any characters.'))
    .max(1_000)
    .default([]),
  selector: z.string().max(mostSelectorCharacters).default(''),
  wait: interval('10s'),
  every: interval('1m'),
})

type NotificationDocument = z.output<typeof notificationDocument>

/** The most receivers of each section. */
export const mostReceivers = 100
const kinds = ['webhook', 'slack', 'email'] as const
const header = /^[A-Za-z0-9-]+$/
const reserved = /^(?:content-(?:type|length)|host|connection|transfer-encoding|x-gitmoor-.*|x-signature-256)$/i

/** Of a document without problems. Relative paths begin at `directory`. */
export function toNotificationReceiver(
  name: string,
  document: NotificationDocument,
  directory: string,
): NotificationReceiver {
  const { on, stacks, selector, wait, every } = document
  const conditions = selector === '' ? [] : parseSelector(selector)
  return {
    name,
    target: receiverTarget(document, directory),
    on,
    stacks,
    selector: 'position' in conditions ? [] : conditions,
    digestMs: parseInterval(wait)!,
    everyMs: parseInterval(every)!,
  }
}

function receiverTarget(
  { webhook: hook, slack, email: mail }: NotificationDocument,
  directory: string,
): NotificationReceiver['target'] {
  if (hook !== undefined) {
    const { url: to, headers, contentType, ...optional } = hook
    return { type: 'webhook', url: to, headers, contentType, ...withoutUndefined(optional) }
  }
  // An entry without a kind is refused by `notificationProblems`.
  if (mail === undefined) return { type: 'slack', url: slack?.url ?? '' }
  const { ca, username, password, ...rest } = mail
  const file = ca === undefined ? {} : { ca: resolve(directory, ca) }
  return { type: 'email', ...rest, ...withoutUndefined({ username, password }), ...file }
}

/** Entries without exactly one kind, wrong addresses, templates and selectors, and missing values. */
export function notificationProblems(file: YamlFile, lookup: ValueLookup): readonly Problem[] {
  const entries = Object.entries(asMap(asMap(file.value)['notifications']))
  return entries.flatMap(([name, entry]) => entryProblems(file, ['notifications', name], asMap(entry), lookup))
}

function entryProblems(file: YamlFile, at: YamlPath, entry: RawMap, lookup: ValueLookup): readonly Problem[] {
  const given = kinds.filter((kind) => entry[kind] !== undefined)
  const wrong =
    given.length === 0
      ? `has no receiver. Set one of ${kinds.join(', ')}.`
      : given.length > 1
        ? `has ${given.join(' and ')}. Set only one of them.`
        : undefined
  return [
    ...(wrong === undefined ? [] : [invalidField(file, at, wrong)]),
    ...selectorProblems(file, at, entry),
    ...webhookTargetProblems(file, at, entry, lookup),
    ...urlProblems(file, at, ['slack', 'url'], { entry, lookup }),
    ...(['username', 'password'] as const).flatMap((key) => unresolvedTextProblems(file, at, ['email', key], lookup)),
    ...loginProblems(file, at, asMap(entry['email'])),
  ]
}

function selectorProblems(file: YamlFile, at: YamlPath, { selector }: RawMap): readonly Problem[] {
  if (typeof selector !== 'string' || selector === '') return []
  const parsed = parseSelector(selector)
  return 'position' in parsed ? [invalidField(file, [...at, 'selector'], malformedText(parsed))] : []
}

function webhookTargetProblems(file: YamlFile, at: YamlPath, entry: RawMap, lookup: ValueLookup): readonly Problem[] {
  const { body, contentType = 'application/json', headers } = asMap(entry['webhook'])
  const type = templateTypes.find((one) => one === contentType)
  const wrong = typeof body === 'string' && type ? templateProblem(body, type, placeholderNames) : undefined
  const names = Object.keys(asMap(headers)).filter((name) => header.test(name))
  return [
    ...urlProblems(file, at, ['webhook', 'url'], { entry, lookup }),
    ...(wrong === undefined ? [] : [invalidField(file, [...at, 'webhook', 'body'], wrong)]),
    ...unresolvedTextProblems(file, at, ['webhook', 'secret'], lookup),
    ...names.flatMap((name) => [
      ...unresolvedTextProblems(file, at, ['webhook', 'headers', name], lookup),
      ...(reserved.test(name)
        ? [invalidField(file, [...at, 'webhook', 'headers', name], 'is a header that gitmoor itself sends.')]
        : []),
    ]),
  ]
}

/** The address may be in a file or a variable: only what can be resolved is checked. */
function urlProblems(
  file: YamlFile,
  at: YamlPath,
  steps: readonly string[],
  { entry, lookup }: { readonly entry: RawMap; readonly lookup: ValueLookup },
): readonly Problem[] {
  const text = steps.reduce<unknown>((value, step) => asMap(value)[step], entry)
  if (typeof text !== 'string') return []
  const unresolved = unresolvedTextProblems(file, at, steps, lookup)
  if (unresolved.length > 0 || isHttpAddress(resolveValue(text, lookup))) return unresolved
  return [invalidField(file, [...at, ...steps], 'must be an address with http:// or https://, without a user name.')]
}

function isHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

function loginProblems(file: YamlFile, at: YamlPath, { username, password, server, allowUnencrypted }: RawMap) {
  if ((username === undefined) !== (password === undefined))
    return [invalidField(file, [...at, 'email'], 'needs both username and password.')]
  const isOpen = allowUnencrypted === true && typeof server === 'string' && server.startsWith('smtp:')
  return isOpen && password !== undefined
    ? [invalidField(file, [...at, 'email'], 'has a password and allowUnencrypted, which could send it without TLS.')]
    : []
}

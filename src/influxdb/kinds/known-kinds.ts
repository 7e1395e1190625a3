// Every kind that a package may declare, and the problem reported for any other.
import { quoted } from '../../lib/text/printable.js'
import type { Finding } from '../../model/problem.js'
import { didYouMean } from '../../settings/did-you-mean.js'
import { apiVersions } from './envelope.js'

/** Families of several kinds. A document must name one of the kinds. */
const generic: Readonly<Record<string, readonly string[]>> = {
  Check: ['CheckDeadman', 'CheckThreshold'],
  NotificationEndpoint: ['NotificationEndpointHTTP', 'NotificationEndpointPagerDuty', 'NotificationEndpointSlack'],
}

const kinds = [
  'Bucket',
  ...Object.values(generic).flat(),
  'Dashboard',
  'Label',
  'NotificationRule',
  'Task',
  'Telegraf',
  'Variable',
].sort()

/** The family of a kind; a family is its own. */
export function familyOfKind(kind: string): string {
  return Object.keys(generic).find((family) => generic[family]!.includes(kind)) ?? kind
}

/** Every kind and family that a request may name. */
export const packageKinds: readonly string[] = [...kinds, ...Object.keys(generic)].sort()

/** True for every kind of InfluxDB, families included: an association may name them without an error. */
export function isKnownKind(kind: string): boolean {
  return packageKinds.includes(kind)
}

/** Why a document has no kind: its `kind` is unknown, or else its `apiVersion`. */
export function explainInfluxdbKind(kind: string, apiVersion: string): Finding {
  if (kinds.includes(kind)) return explainVersion(kind, apiVersion)
  if (Object.hasOwn(generic, kind)) {
    const message = `${kind} is a family of kinds, not a kind.`
    return { code: 'kinds/generic-kind', message, hint: `Use ${listed(generic[kind]!, 'or')}.` }
  }
  const known = `The kinds are ${listed(kinds, 'and')}.`
  return {
    code: 'kinds/unknown-kind',
    message: `There is no kind ${quoted(kind)}.`,
    hint: didYouMean(kind, kinds) ?? known,
  }
}

function explainVersion(kind: string, apiVersion: string): Finding {
  const message =
    apiVersion === '' ? `The ${kind} has no apiVersion.` : `There is no apiVersion ${quoted(apiVersion)} of ${kind}.`
  return { code: 'kinds/unknown-version', message, hint: `Use ${apiVersions[0]}.` }
}

function listed(words: readonly string[], last: string): string {
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** The order of kinds in an export: a kind comes after the kinds it refers to. */
const kindOrder = [
  'Label',
  'Bucket',
  'CheckDeadman',
  'CheckThreshold',
  'NotificationEndpointHTTP',
  'NotificationEndpointPagerDuty',
  'NotificationEndpointSlack',
  'NotificationRule',
  'Task',
  'Variable',
  'Dashboard',
  'Telegraf',
]

/** The position of a kind in an export; unknown kinds come last. */
export function kindRank(kind: string): number {
  const rank = kindOrder.indexOf(kind)
  return rank < 0 ? kindOrder.length : rank
}

// Every kind that a package may name (packages 1.1), built here yet or not, and what to say of those that are not.
import { quoted } from '../../model/printable.js'
import type { Finding } from '../../model/problem.js'
import { apiVersions } from './envelope.js'
import { didYouMean } from './fields.js'

const built = ['Bucket', 'Dashboard', 'Label', 'Task', 'Telegraf', 'Variable'] as const

/** Families that are no kinds of their own (D1). */
const generic: Readonly<Record<string, readonly string[]>> = {
  Check: ['CheckDeadman', 'CheckThreshold'],
  NotificationEndpoint: ['NotificationEndpointHTTP', 'NotificationEndpointPagerDuty', 'NotificationEndpointSlack'],
}

const later = [...generic['Check']!, ...generic['NotificationEndpoint']!, 'NotificationRule']

/** True for every kind of the reference, generic ones among them: what an association may name without being in error. */
export function isKnownKind(kind: string): boolean {
  return (built as readonly string[]).includes(kind) || later.includes(kind) || Object.hasOwn(generic, kind)
}

/** Why there is no kind for a document: of its `kind` if that is not built here, else of its `apiVersion`. */
export function explainInfluxdbKind(kind: string, apiVersion: string): Finding {
  if ((built as readonly string[]).includes(kind)) return explainVersion(kind, apiVersion)
  if (Object.hasOwn(generic, kind)) {
    const message = `${kind} is a family of kinds, not a kind.`
    return { code: 'kinds/generic-kind', message, hint: `Its kinds are ${listed(generic[kind]!)}; they come with a later version.` }
  }
  const knows = `This version knows ${listed(built)}.`
  if (later.includes(kind))
    return { code: 'kinds/later-kind', message: `The kind ${kind} comes with a later version of gitmoor.`, hint: knows }
  const near = didYouMean(kind, [...built, ...later])
  return { code: 'kinds/unknown-kind', message: `There is no kind ${quoted(kind)}.`, hint: near === undefined ? knows : `${near} ${knows}` }
}

function explainVersion(kind: string, apiVersion: string): Finding {
  if (kind === 'Task' && apiVersions.includes(apiVersion)) {
    const hint = `Use ${apiVersions[0]}, with the schedule in spec.every or spec.cron.`
    return { code: 'kinds/later-version', message: `A Task of ${apiVersion} comes with a later version of gitmoor.`, hint }
  }
  const message = `There is no apiVersion ${quoted(apiVersion)} of ${kind}.`
  return { code: 'kinds/unknown-version', message, hint: `Use ${apiVersions[0]}.` }
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

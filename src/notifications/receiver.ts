// Receivers of the configuration file. Their texts may contain `${env:NAME}` and `${file:PATH}`, resolved at each use.
import type { TransitionKind } from '../model/agent/message.js'
import type { ForgeMatch } from '../model/sources/forge.js'
import type { LabelCondition } from '../model/stacks/stack.js'

export const templateTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'] as const
export type TemplateType = (typeof templateTypes)[number]

export interface WebhookTarget {
  readonly type: 'webhook'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Signs the body. Absent: it is not signed. */
  readonly secret?: string
  /** Absent: the JSON of gitmoor. */
  readonly body?: string
  readonly contentType: TemplateType
}

/** A webhook in the format of Slack: Slack, Mattermost, Rocket.Chat, Discord with `/slack`. */
export interface SlackTarget {
  readonly type: 'slack'
  readonly url: string
}

export interface EmailTarget {
  readonly type: 'email'
  /** `smtps://HOST:PORT` for TLS, `smtp://HOST:PORT` for STARTTLS. */
  readonly server: string
  readonly username?: string
  readonly password?: string
  readonly from: string
  readonly to: readonly string[]
  /** File of trusted authorities in PEM, beside those of the system. */
  readonly ca?: string
  /** Sends without TLS if the server has none. */
  readonly allowUnencrypted: boolean
}

/** An entry of `notifications`: where transitions go, and which. */
export interface NotificationReceiver {
  readonly name: string
  readonly target: WebhookTarget | SlackTarget | EmailTarget
  readonly on: readonly TransitionKind[]
  /** Names of stacks, with `*` for any characters. Empty: all. */
  readonly stacks: readonly string[]
  /** Empty: any labels. */
  readonly selector: readonly LabelCondition[]
  /** How long a message waits for more transitions. */
  readonly digestMs: number
  /** The least time between two messages. */
  readonly everyMs: number
}

/** An entry of `commitStatus`: the repositories below an address, and the host that gets their statuses. */
export interface StatusReceiver extends ForgeMatch {
  readonly name: string
  /** The address of the API, without a slash at its end. */
  readonly api: string
  /** The name of an entry of `credentials`. */
  readonly credential: string
}

export interface Receivers {
  readonly notifications: readonly NotificationReceiver[]
  readonly statuses: readonly StatusReceiver[]
  /** The address under which people reach the agent, without a slash at its end. Absent: messages have no links. */
  readonly publicUrl?: string
}

export const noReceivers: Receivers = { notifications: [], statuses: [] }

import type { WebhookContext } from './receive-delivery.js'

/** Calls a use case with the context of the agent. Secrets are redacted in what it answers, throws and reports. */
export type CallUseCase = <Args extends readonly unknown[], Answer>(
  useCase: (context: WebhookContext, ...args: Args) => Answer,
  ...args: Args
) => Answer

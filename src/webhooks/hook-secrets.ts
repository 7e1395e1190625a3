import { Refused, SyncError, Unavailable } from '../model/errors.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import type { Redactor } from '../secrets/redact/redact.js'
import type { Webhook } from './webhook.js'

export const leastSecretCharacters = 16

/** Secrets of webhooks, resolved at each use, so they may change while the agent runs. */
export class HookSecrets {
  readonly #lookup: ValueLookup
  readonly #redactor: Redactor

  /** `redactor` learns every value. */
  constructor(lookup: ValueLookup, redactor: Redactor) {
    this.#lookup = lookup
    this.#redactor = redactor
  }

  /** The secret, and the previous one while it is valid. Errors: `Unavailable`, if the secret has no value now. */
  of({ name, secret, previousSecret }: Webhook): readonly [string, string] {
    const current = this.#value(secret)
    if (current instanceof Error)
      throw new Unavailable('The secret of this webhook cannot be read now.', {
        code: 'api/webhook-secret',
        hint: `See \`gitmoor doctor\`, and "webhooks.${name}.secret" in the configuration file.`,
        cause: current,
      })
    const previous = previousSecret === undefined ? current : this.#value(previousSecret)
    return [current, previous instanceof Error ? current : previous]
  }

  /** Problems with the values of its secrets. */
  faults({ secret, previousSecret }: Webhook): readonly string[] {
    const texts = Object.entries({ secret, previousSecret })
    return texts.flatMap(([key, text]) => {
      const value = text === undefined ? '' : this.#value(text)
      return value instanceof Error ? [`Its ${key} has no value: ${value.message}`] : []
    })
  }

  #value(text: string): string | SyncError {
    try {
      const value = resolveValue(text, this.#lookup)
      this.#redactor.add(value)
      return value.length < leastSecretCharacters ? tooShort() : value
    } catch (error) {
      if (error instanceof SyncError) return error
      throw error
    }
  }
}

function tooShort(): Refused {
  return new Refused('usage', `The secret has fewer than ${leastSecretCharacters} characters.`)
}

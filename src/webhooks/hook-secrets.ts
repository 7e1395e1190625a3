import { Refused, SyncError, Unavailable } from '../model/errors.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import type { Redactor } from '../secrets/redact/redact.js'
import type { Webhook } from './webhook.js'

export const leastSecretCharacters = 16

/** The secrets of webhooks at this moment, so that they may be changed while the agent runs. */
export class HookSecrets {
  readonly #lookup: ValueLookup
  readonly #redactor: Redactor

  /** `redactor` learns every value. */
  constructor(lookup: ValueLookup, redactor: Redactor) {
    this.#lookup = lookup
    this.#redactor = redactor
  }

  /** The secret, and the one before it while that counts. Errors: `Unavailable` where the first has no value now. */
  of({ name, secret, previousSecret }: Webhook): readonly [string, string] {
    const current = this.#value(secret)
    if (current instanceof Error)
      throw new Unavailable('The secret of this webhook cannot be had now.', {
        code: 'api/webhook-secret',
        hint: `See \`gitmoor doctor\`, and "webhooks.${name}.secret" in the configuration file.`,
        cause: current,
      })
    const previous = previousSecret === undefined ? current : this.#value(previousSecret)
    return [current, previous instanceof Error ? current : previous]
  }

  /** What is wrong with the values of its secrets; none: nothing. */
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
  return new Refused('usage', `It has fewer than ${leastSecretCharacters} characters.`)
}

import { redactArguments, type Redact } from '../../secrets/redact/redact-facts.js'
import type { Store } from '../../store/store.js'

/**
 * The store: no sentence that it is given to keep has a secret in it, and so no backup has. Plans, packages and
 * snapshots are kept as they are.
 */
export function redactedStore(store: Store, redact: Redact): Store {
  const tables: Partial<Store> = {
    stacks: redactArguments(store.stacks, ['create', 'changeOwnership', 'change'], redact),
    runs: redactArguments(store.runs, ['add', 'observe', 'finish'], redact),
    journal: redactArguments(store.journal, ['startUndo', 'settle'], redact),
    channels: redactArguments(store.channels, ['learn'], redact),
    overrides: redactArguments(store.overrides, ['add'], redact),
    deliveries: redactArguments(store.deliveries, ['add', 'finish'], redact),
  }
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(key in tables ? tables : target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

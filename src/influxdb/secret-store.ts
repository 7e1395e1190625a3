// How InfluxDB stores the secrets that people give.
import type { SecretStore } from '../platform/platform.js'
import { endpointOfKey, secretDocument } from './kinds/kinds.js'

/** Secrets of an organisation. InfluxDB stores an endpoint's own credentials under names made of its id. */
export const secretStore: SecretStore = {
  family: 'Secret',
  document: secretDocument,
  ownerOf: (key) => {
    const identity = endpointOfKey(key)
    return identity === undefined ? undefined : { family: 'NotificationEndpoint', identity }
  },
}

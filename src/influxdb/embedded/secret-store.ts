// Secrets of an organisation, as InfluxDB has them: it stores an endpoint's own credentials under names made of its id.
import { endpointOfKey, secretDocument } from '../kinds/kinds.js'
import type { SecretStore } from '../../platform/platform.js'

export const secretStore: SecretStore = {
  family: 'Secret',
  document: secretDocument,
  ownerOf: (key) => {
    const identity = endpointOfKey(key)
    return identity === undefined ? undefined : { family: 'NotificationEndpoint', identity }
  },
}

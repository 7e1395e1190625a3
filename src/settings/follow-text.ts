import { sourcePath, type SourceSpec } from '../model/sources/source-spec.js'
import { normaliseAddress } from './source-address.js'

/** What a stack follows, as every list and message says it: `https://git.example/boards#stable in dashboards`. */
export function followText(source: SourceSpec): string {
  const path = sourcePath(source) === '' ? '' : ` in ${sourcePath(source)}`
  return `${originText(source)}${path}`
}

function originText(source: SourceSpec): string {
  switch (source.kind) {
    case 'git':
      return `${channelAddress(source.url)}#${source.ref}`
    case 'url':
      return source.url
    case 'directory':
      return source.directory
    case 'inline':
      return 'pushed packages'
  }
}

/** As in the name of the channel; as it was declared, if the address is not valid. */
function channelAddress(url: string): string {
  try {
    return normaliseAddress(url)
  } catch {
    return url
  }
}

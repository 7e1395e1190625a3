// What InfluxDB accepts as a URL: far more than web addresses, including relative ones and odd schemes.
// The rules are those of RFC 3986 as Go's net/url has them: https://pkg.go.dev/net/url#Parse

/** True if the text parses. An empty text does not. */
export function isParsableUrl(text: string): boolean {
  const [beforeFragment, fragment] = cut(text, '#')
  if (text === '' || /[\u0000-\u001f\u007f]/.test(beforeFragment)) return false
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(beforeFragment)?.[0] ?? ''
  const [rest] = cut(beforeFragment.slice(scheme.length), '?')
  return !beforeFragment.startsWith(':') && isEscaped(fragment) && isHierarchy(rest, scheme !== '')
}

/** The part after the scheme: an authority and a path, a path, or, only with a scheme, anything. */
function isHierarchy(rest: string, hasScheme: boolean): boolean {
  if (!rest.startsWith('/')) return hasScheme || (!rest.split('/', 1)[0]!.includes(':') && isEscaped(rest))
  if (!rest.startsWith('//') || (!hasScheme && rest.startsWith('///'))) return isEscaped(rest)
  const authority = rest.slice(2).split('/', 1)[0]!
  return isAuthority(authority) && isEscaped(rest.slice(2 + authority.length))
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  if (
    at >= 0 &&
    !(/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)) && isEscaped(authority.slice(0, at)))
  )
    return false
  if (host.startsWith('[')) return /^\[[0-9A-Fa-f:.]+(?:%25[^\]]+)?\](?::\d*)?$/.test(host)
  return (
    /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:\]<>"]|[^\u0000-\u007f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/.test(host) &&
    !/:[^:]*[^:\d][^:]*$/.test(host)
  )
}

/** True if two hexadecimal digits follow every %. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text)
}

function cut(text: string, mark: string): readonly [before: string, after: string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

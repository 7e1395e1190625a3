// URLs of packages that the agent fetches at an apply.
import { showAddress } from '../../lib/text/printable.js'
import { WireRefusal } from './wire-error.js'

/** For a new stack: each must parse as a URL, too. Errors: `WireRefusal`. */
export function parsedUrls(urls: readonly string[]): readonly string[] {
  for (const url of urls) refuseUnparsed(url)
  return checkedUrls(urls)
}

/**
 * URLs must be http or https, without credentials and with valid escapes. The API does not evaluate Jsonnet, so a URL
 * of Jsonnet is refused in any spelling. Errors: `WireRefusal`.
 */
export function checkedUrls(urls: readonly string[]): readonly string[] {
  for (const url of urls) refuseScheme(url)
  for (const url of urls) refuseCredential(url)
  for (const url of urls)
    if (unescaped(url).toLowerCase().trimEnd().endsWith('jsonnet'))
      throw new WireRefusal(
        'unprocessable entity',
        `invalid encoding: ${showAddress(url)} is Jsonnet, which is not evaluated over the API. ` +
          'Evaluate it where it is, and send what comes of it.',
      )
  return urls
}

/** Refuses credentials in URLs: they would be stored, and shown to every reader of the stack. */
function refuseCredential(url: string): void {
  if (!/^[^/?#]*\/\/[^/?#]*@/.test(url.trim())) return
  const what = `The url ${showAddress(url)} holds user information, which is neither kept nor shown.`
  throw new WireRefusal(
    'invalid',
    `${what} Leave it out, and give the credential in the configuration file under credentials.`,
  )
}

function refuseUnparsed(url: string): void {
  if (!URL.canParse(url))
    throw new WireRefusal(
      'invalid',
      `The url ${showAddress(url)} cannot be read. It must begin with https:// or http://.`,
    )
}

function refuseScheme(url: string): void {
  if (URL.canParse(url) && !/^https?:$/.test(new URL(url).protocol))
    throw new WireRefusal('invalid', `invalid URL scheme: ${showAddress(url)} must begin with https:// or http://.`)
}

function unescaped(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch (cause) {
    throw new WireRefusal('invalid', `The url ${showAddress(url)} has an escape that cannot be read.`, { cause })
  }
}

import { Refused } from './errors.js'
import { showAddress } from '../lib/text/printable.js'

/** The encoding of a package's text. */
export type Encoding = 'yaml' | 'json' | 'jsonnet'

/** What is known of a text, the strongest sign first. */
export interface EncodingSigns {
  /** The declared content type, or its short name. */
  readonly contentType?: string | undefined
  /** The text's URL, or the path of its file. */
  readonly path?: string | undefined
  /** The content type of the response or the request that had the text. */
  readonly responseType?: string | undefined
  readonly text: string
}

const extensions: Readonly<Record<string, Encoding>> = { yml: 'yaml', yaml: 'yaml', json: 'json', jsonnet: 'jsonnet' }

/** The declared encoding, else that of the extension, of the content type, or of the first character. */
export function detectEncoding({ contentType, path, responseType, text }: EncodingSigns): Encoding {
  return (
    declaredEncoding(contentType) ?? encodingFromPath(path ?? '') ?? declaredEncoding(responseType) ?? sniffed(text)
  )
}

/** The encoding of a content type, parameters aside, or of a short name; undefined for others: `text/plain`. */
function declaredEncoding(type: string | undefined): Encoding | undefined {
  const [name = ''] = (type ?? '').toLowerCase().split(';')
  const [, word] = /^(?:(?:application|text)\/)?(?:x-|[^+]+\+)?(ya?ml|json|jsonnet)$/.exec(name.trim()) ?? []
  return word === undefined ? undefined : extensions[word]
}

/** The encoding of the extension of a file, or of a URL's path, unescaped. */
function encodingFromPath(path: string): Encoding | undefined {
  const file = /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? path.replace(/[?#].*$/s, '') : path
  const [, extension] = /\.([a-z]+)$/.exec(lowerUnescaped(file)) ?? []
  return extension === undefined || !Object.hasOwn(extensions, extension) ? undefined : extensions[extension]
}

/**
 * True for an address or a source that the API refuses: unescaped and in lower case it ends in `jsonnet`. Errors:
 * `Refused` if it cannot be unescaped.
 */
export function isJsonnetAddress(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text))
    throw new Refused('usage', `The address ${showAddress(text)} cannot be unescaped: a % in it begins no escape.`, {
      code: 'package/bad-escape',
      hint: 'Write a percent sign that is meant as %25.',
    })
  return lowerUnescaped(text).endsWith('jsonnet') || encodingFromPath(text) === 'jsonnet'
}

/** Unescapes byte by byte, because invalid UTF-8 is not an error here. */
function lowerUnescaped(text: string): string {
  return text
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toLowerCase()
}

function sniffed(text: string): Encoding {
  return /^[\s\ufeff]*[[{]/.test(text) ? 'json' : 'yaml'
}

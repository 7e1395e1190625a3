import { Rejected } from '../../model/errors.js'
import { showAddress } from '../../lib/text/printable.js'

/** A page that shows a package: owner, repository, ref, path. */
const page = /^\/([^/]+)\/([^/]+)\/blob\/([^/]+)\/(.+\.(?:ya?ml|json|jsonnet))$/

/** The URL of a package; for a page of GitHub, that of the file it shows. Errors: `Rejected`. */
export function packageUrl(text: string): URL {
  if (text.length > 2000 || /[\s\\\p{Cc}\p{Cf}]/u.test(text) || !URL.canParse(text)) throw badAddress(text)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw badScheme(text)
  if (url.username !== '' || url.password !== '') throw userInformation(text)
  url.hash = ''
  return fileOfPage(url)
}

function fileOfPage(url: URL): URL {
  const [, owner, repository, ref, path] = (url.host === 'github.com' && page.exec(url.pathname)) || []
  return path === undefined
    ? url
    : new URL(`https://raw.githubusercontent.com/${owner}/${repository}/${ref}/${path}${url.search}`)
}

function badAddress(text: string): Rejected {
  return new Rejected(`${showAddress(text)} is not a valid URL.`, {
    code: 'source/bad-address',
    hint: 'Use https://host/path, at most 2,000 characters, without white space.',
  })
}

function badScheme(text: string): Rejected {
  return new Rejected(`${showAddress(text)} has an invalid URL scheme: only http and https are supported.`, {
    code: 'source/scheme',
    hint: 'Send the text of local files, or use a source of kind directory.',
  })
}

function userInformation(text: string): Rejected {
  return new Rejected(`${showAddress(text)} contains a username or password.`, {
    code: 'source/user-information',
    hint: 'Remove it, and configure a credential in the configuration file.',
  })
}

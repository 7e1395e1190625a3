import { Rejected } from '../../model/errors.js'
import { showAddress } from '../../lib/printable.js'

/** Of a page that shows a package: owner, repository, ref, path. */
const page = /^\/([^/]+)\/([^/]+)\/blob\/([^/]+)\/(.+\.(?:ya?ml|json|jsonnet))$/

/** The URL of the package's text: for a page of GitHub that of the file it shows. Errors: `Rejected`. */
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
  return new Rejected(`${showAddress(text)} is no address that can be fetched.`, {
    code: 'source/bad-address',
    hint: 'Write https://host/path, at most 2,000 characters, without white space.',
  })
}

function badScheme(text: string): Rejected {
  return new Rejected(`${showAddress(text)} has an invalid URL scheme: a package is fetched by http or https.`, {
    code: 'source/scheme',
    hint: 'Files of the agent’s machine are no remotes: send their text, or follow them as a source of kind directory.',
  })
}

function userInformation(text: string): Rejected {
  return new Rejected(`${showAddress(text)} holds user information.`, {
    code: 'source/user-information',
    hint: 'Leave it out, and give the credential in the configuration file under credentials.',
  })
}

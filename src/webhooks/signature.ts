// Verifies that a sender knows the secret. Values are compared by their hashes, so timing reveals neither length nor
// content.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Provider } from '../model/agent/delivery.js'
import type { Incoming, Webhook } from './webhook.js'

/** The signed request: the whole body, as it is sent. */
type Signed = Pick<Incoming, 'header' | 'body'>

interface Scheme {
  /** The headers that may contain the signature; the first one present is used. */
  readonly headers: readonly string[]
  /** The value of that header for this secret. */
  readonly sign: (secret: string, signed: Signed, header: string) => string
}

const hubSignature = (header: string): Scheme => ({
  headers: [header],
  sign: (secret, { body }) => `sha256=${hex(secret, body)}`,
})
const plainHex = (...headers: readonly string[]): Scheme => ({ headers, sign: (secret, { body }) => hex(secret, body) })

/** SHA-1 signatures, which some of them also send, are ignored. */
const schemes: Readonly<Record<Exclude<Provider, 'generic'>, Scheme>> = {
  github: hubSignature('x-hub-signature-256'),
  bitbucket: hubSignature('x-hub-signature'),
  gitea: plainHex('x-gitea-signature'),
  forgejo: plainHex('x-forgejo-signature', 'x-gitea-signature'),
  gogs: plainHex('x-gogs-signature'),
  // A signing token (https://www.standardwebhooks.com), or the secret token itself.
  gitlab: {
    headers: ['webhook-signature', 'x-gitlab-token'],
    sign: (secret, signed, header) => (header === 'x-gitlab-token' ? secret : standardSignature(secret, signed)),
  },
}

/** Allowed difference of a signed time. */
const slackMs = 300_000
/** Signatures in one header, while the sender rotates its secret. */
const mostSignatures = 5

/** `secrets`: the valid ones. All are tried, even after a match. */
export function isSigned(
  hook: Webhook,
  incoming: Signed,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: number },
): boolean {
  const { headers, sign } = signatureScheme(hook)
  const header = headers.find((name) => incoming.header(name) !== undefined) ?? headers[0]!
  const given = givenIn(incoming, header)
  const fits = secrets.map((secret) => {
    const expected = sign(secret, incoming, header)
    return given.map((one) => isSame(one, expected)).includes(true)
  })
  return fits.includes(true) && (header !== 'webhook-signature' || isRecent(incoming, now))
}

/** The header that signs this body, as the sender would write it. */
export function signatureHeader(hook: Webhook, signed: Signed, secret: string): readonly [name: string, value: string] {
  const { headers, sign } = signatureScheme(hook)
  const header = hook.provider === 'gitlab' ? 'x-gitlab-token' : headers[0]!
  return [header, sign(secret, signed, header)]
}

function signatureScheme({ provider, generic }: Webhook): Scheme {
  if (provider !== 'generic') return schemes[provider]
  return {
    headers: [generic.header.toLowerCase()],
    sign: (secret, { body }) => `${generic.prefix}${hex(secret, body)}`,
  }
}

function givenIn(incoming: Signed, header: string): readonly string[] {
  const text = incoming.header(header) ?? ''
  return header === 'webhook-signature' ? text.split(' ').slice(0, mostSignatures) : [text]
}

function standardSignature(secret: string, { header, body }: Signed): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  const hmac = createHmac('sha256', key).update(`${header('webhook-id') ?? ''}.${header('webhook-timestamp') ?? ''}.`)
  return `v1,${hmac.update(body).digest('base64')}`
}

function isRecent({ header }: Signed, now: number): boolean {
  const seconds = header('webhook-timestamp') ?? ''
  return /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= slackMs
}

function hex(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest()
}

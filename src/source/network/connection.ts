// How servers below an address are reached, as `connections` of the configuration file says: authorities, a client
// certificate, a proxy.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { rootCertificates, type SecureContextOptions } from 'node:tls'
import { SyncError, Unavailable } from '../../model/errors.js'
import { readSmallFile } from '../../secrets/resolve-value.js'

/** One entry of `connections`. Files are PEM. */
export interface Connection {
  /** Its key in the configuration file. */
  readonly name: string
  /** As that of a credential. */
  readonly match: string
  /** File of authorities that are trusted beside those of the system. */
  readonly ca?: string
  /** Files of the certificate that this side shows (with those between it and its authority), and of its key. */
  readonly certificate?: string
  readonly key?: string
  /** `http://proxy.example:3128`, or `none`: none, whatever the environment says. */
  readonly proxy?: string
  /** May hold `${env:NAME}` and `${file:PATH}`, as the password may. */
  readonly proxyUsername?: string
  readonly proxyPassword?: string
}

/** What stands in the files of a connection. */
export type TlsTexts = Pick<Connection, 'ca' | 'certificate' | 'key'>

/** Of each file. */
export const mostTlsFileBytes = 1024 * 1024
const pem = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g

/** Throws `Unavailable` where a file cannot be read now. */
export function readTlsTexts(connection: Connection): TlsTexts {
  const { ca, certificate, key } = connection
  try {
    return {
      ...(ca === undefined ? {} : { ca: readSmallFile(ca, mostTlsFileBytes) }),
      ...(certificate === undefined ? {} : { certificate: readSmallFile(certificate, mostTlsFileBytes) }),
      ...(key === undefined ? {} : { key: readSmallFile(key, mostTlsFileBytes) }),
    }
  } catch (cause) {
    throw unusableConnection(connection, cause)
  }
}

/**
 * What TLS takes of them; `extra`: further authorities in PEM that are trusted everywhere. Throws `Unavailable` where
 * they do not hold what they should.
 */
export function tlsOptions(connection: Connection, texts: TlsTexts, extra: readonly string[]): SecureContextOptions {
  const { ca, certificate, key } = texts
  certificatesOf(connection, texts)
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ...extra, ca] }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  }
}

/** `own`: what this side shows, its own first. */
export interface Certificates {
  readonly own: readonly X509Certificate[]
  readonly authorities: readonly X509Certificate[]
}

/** The certificates that the files hold. Throws as `tlsOptions`. */
export function certificatesOf(connection: Connection, { ca, certificate, key }: TlsTexts): Certificates {
  try {
    const authorities = ca === undefined ? [] : readCertificates(ca, connection.ca!)
    const own = certificate === undefined ? [] : readCertificates(certificate, connection.certificate!)
    if (key !== undefined && own[0]?.checkPrivateKey(createPrivateKey(key)) !== true)
      throw misfit(`${connection.key!} is not the key of the certificate in ${connection.certificate ?? 'no file'}.`)
    return { own, authorities }
  } catch (cause) {
    throw unusableConnection(connection, cause)
  }
}

function readCertificates(text: string, file: string): readonly X509Certificate[] {
  const found = text.match(pem) ?? []
  if (found.length === 0) throw misfit(`${file} holds no certificate in PEM.`)
  return found.map((one) => new X509Certificate(one))
}

function misfit(message: string): SyncError {
  return new SyncError(message, { code: 'source/connection-files' })
}

/** The error of whatever an entry points to that is not there now. */
export function unusableConnection({ name }: Connection, cause: unknown): Unavailable {
  return new Unavailable(`The connection "${name}" cannot be used now.`, {
    code: 'source/connection-files',
    hint: 'See "connections" in the configuration file of the agent; its files are read again at the next try.',
    cause,
  })
}

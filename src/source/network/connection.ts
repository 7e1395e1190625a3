// How to reach servers below an address, from `connections` of the configuration file: authorities, a client
// certificate, a proxy.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { rootCertificates, type SecureContextOptions } from 'node:tls'
import { SyncError, Unavailable } from '../../model/errors.js'
import { readSmallFile } from '../../secrets/resolve-value.js'

/** One entry of `connections`. Files are in PEM format. */
export interface HostConnection {
  /** Its key in the configuration file. */
  readonly name: string
  /** Matches addresses, as in a credential. */
  readonly match: string
  /** File of trusted authorities, in addition to those of the system. */
  readonly ca?: string
  /** Files of the client certificate (with its intermediate certificates) and of its key. */
  readonly certificate?: string
  readonly key?: string
  /** `http://proxy.example:3128`, or `none`: no proxy, even if the environment has one. */
  readonly proxy?: string
  /** May contain `${env:NAME}` and `${file:PATH}`, like the password. */
  readonly proxyUsername?: string
  readonly proxyPassword?: string
}

/** The contents of a connection's files. */
export type TlsTexts = Pick<HostConnection, 'ca' | 'certificate' | 'key'>

/** The largest file. */
export const mostTlsFileBytes = 1024 * 1024
const pem = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g

/** Throws `Unavailable` if a file cannot be read. */
export function readTlsTexts(connection: HostConnection): TlsTexts {
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
 * The TLS options. `extra`: further authorities in PEM, trusted everywhere. Throws `Unavailable` if the files are
 * invalid.
 */
export function tlsOptions(
  connection: HostConnection,
  texts: TlsTexts,
  extra: readonly string[],
): SecureContextOptions {
  const { ca, certificate, key } = texts
  certificatesOf(connection, texts)
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ...extra, ca] }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  }
}

/** `own`: the client certificate, followed by its intermediate certificates. */
export interface Certificates {
  readonly own: readonly X509Certificate[]
  readonly authorities: readonly X509Certificate[]
}

/** The certificates in the files. Throws like `tlsOptions`. */
export function certificatesOf(connection: HostConnection, { ca, certificate, key }: TlsTexts): Certificates {
  try {
    const authorities = ca === undefined ? [] : readCertificates(ca, connection.ca!)
    const own = certificate === undefined ? [] : readCertificates(certificate, connection.certificate!)
    if (key !== undefined && own[0]?.checkPrivateKey(createPrivateKey(key)) !== true)
      throw wrongFile(`${connection.key!} is not the key of the certificate in ${connection.certificate ?? 'no file'}.`)
    return { own, authorities }
  } catch (cause) {
    throw unusableConnection(connection, cause)
  }
}

function readCertificates(text: string, file: string): readonly X509Certificate[] {
  const found = text.match(pem) ?? []
  if (found.length === 0) throw wrongFile(`${file} contains no certificate in PEM format.`)
  return found.map((one) => new X509Certificate(one))
}

function wrongFile(message: string): SyncError {
  return new SyncError(message, { code: 'source/connection-files' })
}

/** The error if a file or value of an entry cannot be read. */
export function unusableConnection({ name }: HostConnection, cause: unknown): Unavailable {
  return new Unavailable(`The connection "${name}" cannot be used.`, {
    code: 'source/connection-files',
    hint: 'See "connections" in the configuration file of the agent. The next attempt reads its files again.',
    cause,
  })
}

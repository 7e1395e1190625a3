// Converts failures of TLS and certificates to errors. Certificates get renewed, so all of them are retried.
import { type LookupFunction, isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { Unavailable } from '../../model/errors.js'
import { showText } from '../../lib/text/printable.js'
import { bareHost } from './address-policy.js'

interface TlsProblem {
  /** Continues the sentence "Cannot reach REMOTE: …". */
  readonly what: string
  readonly hint: string
}

const UNKNOWN: TlsProblem = {
  what: 'its certificate is signed by an unknown authority',
  hint:
    'For a private CA, set "ca" of an entry under connections in the configuration file ' +
    'to a file with its certificate.',
}
const NO_CLIENT: TlsProblem = {
  what: 'it requires a client certificate, or rejects the one it got',
  hint: 'Set "certificate" and "key" of an entry under connections in the configuration file, or renew them.',
}
const OLD: TlsProblem = {
  what: 'it supports no safe version of TLS',
  hint: 'Enable TLS 1.2 or newer on the server.',
}
const NO_TLS: TlsProblem = {
  what: 'it does not use TLS',
  hint: 'Check the port, and whether the address should start with http://.',
}

const FAULTS: Readonly<Record<string, TlsProblem>> = {
  CERT_HAS_EXPIRED: {
    what: 'its certificate has expired',
    hint: "Renew the server's certificate, or correct the clock of this machine.",
  },
  CERT_NOT_YET_VALID: {
    what: 'its certificate is not valid yet',
    hint: "Check the clocks of this machine and of the server's authority.",
  },
  CERT_REVOKED: { what: 'its certificate was revoked', hint: "Renew the server's certificate." },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    ...UNKNOWN,
    what: 'its certificate is self-signed, and this machine does not trust it',
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN,
  CERT_UNTRUSTED: UNKNOWN,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NO_CLIENT,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: NO_CLIENT,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: NO_CLIENT,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: NO_CLIENT,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: NO_CLIENT,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: NO_CLIENT,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: NO_CLIENT,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD,
}

/** The error of a TLS failure; undefined: another failure. `validity`: that of the certificate, if known. */
export function tlsError(remote: string, error: unknown, validity?: Validity): Unavailable | undefined {
  const fault = tlsProblem(error, validity)
  if (fault === undefined) return undefined
  return new Unavailable(`Cannot reach ${remote}: ${fault.what}.`, {
    code: 'source/tls',
    hint: fault.hint,
    cause: error,
  })
}

/** True if the dates of the certificate would make the message clearer. */
export function isOutdated(error: unknown): boolean {
  return ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].includes(errorCode(error))
}

function tlsProblem(error: unknown, validity: Validity | undefined): TlsProblem | undefined {
  const code = errorCode(error)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return otherHost(error as { readonly cert?: PeerCertificate })
  const fault = FAULTS[code]
  if (fault === undefined || validity === undefined) return fault
  if (code === 'CERT_HAS_EXPIRED') return { ...fault, what: `its certificate expired at ${validity.until}` }
  return code === 'CERT_NOT_YET_VALID'
    ? { ...fault, what: `its certificate is valid only from ${validity.from}` }
    : fault
}

function otherHost({ cert }: { readonly cert?: PeerCertificate }): TlsProblem {
  const names = showText(cert?.subjectaltname ?? 'no name')
  const hint = "Use a host name of the certificate, or add this name to the server's certificate."
  return { what: `its certificate is for another host (${names})`, hint }
}

function errorCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** The dates of a certificate, in UTC. */
export interface Validity {
  readonly from: string
  readonly until: string
}

/**
 * Reads the validity of a server's certificate over a new connection, only for the message; sends nothing. Undefined:
 * it cannot be read.
 */
export function readValidity(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<Validity | undefined> {
  const host = bareHost(url)
  const socket = connect({
    host,
    port: Number(url.port || 443),
    lookup,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: false,
  })
  const stop = (): void => void socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  return new Promise<Validity | undefined>((resolve) => {
    socket.once('secureConnect', () => resolve(certificateValidity(socket.getPeerCertificate())))
    socket.on('error', () => resolve(undefined))
    socket.once('close', () => resolve(undefined))
  }).finally(() => {
    signal.removeEventListener('abort', stop)
    stop()
  })
}

function certificateValidity(certificate: PeerCertificate): Validity | undefined {
  const from = Date.parse(certificate.valid_from)
  const until = Date.parse(certificate.valid_to)
  if (Number.isNaN(from) || Number.isNaN(until)) return undefined
  return { from: shown(from), until: shown(until) }
}

function shown(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

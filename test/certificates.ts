// Certificates for servers of tests, made by openssl: an authority of one's own, and what it signs.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Authority {
  /** Its own certificate, as NODE_EXTRA_CA_CERTS takes it. */
  readonly file: string
  /**
   * `names`: as `IP:127.0.0.1,DNS:localhost`. Times as `20200101000000Z`; default: valid for the next thousand years.
   */
  issue(names: string, times?: { readonly from: string; readonly until: string }): Certificate
}

const ALWAYS = { from: '20200101000000Z', until: '30200101000000Z' }
const SETTINGS = `[ca]\ndefault_ca = one\n[one]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\ndefault_md = sha256
policy = any\nunique_subject = no\n[any]\ncommonName = supplied\n`

/**
 * `clients`: clients may send a certificate that it signed; with `required` they must.
 * `onClient`: whose they showed, '' for none.
 */
export interface ServerCertificate extends Certificate {
  readonly clients?: string
  readonly required?: boolean
  readonly onClient?: (commonName: string) => void
}

/** A server as that asks for. */
export function secured(
  { clients, required = true, onClient, ...own }: ServerCertificate,
  listener: RequestListener,
): Server {
  const desired =
    clients === undefined ? {} : { ca: readFileSync(clients, 'utf8'), requestCert: true, rejectUnauthorized: required }
  const server = createServer({ ...own, ...desired }, listener)
  return server.on('secureConnection', (socket) =>
    onClient?.((socket.getPeerCertificate().subject as { CN?: string } | undefined)?.CN ?? ''),
  )
}

/** Keeps its files in a directory of its own. */
export function makeAuthority(directory: string): Authority {
  mkdirSync(directory, { recursive: true })
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=Test'] as const
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '9',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
  )
  writeFileSync(join(directory, 'ca.cnf'), SETTINGS)
  writeFileSync(join(directory, 'index.txt'), '')
  const issue: Authority['issue'] = (names, { from, until } = ALWAYS) => {
    openssl('req', ...key, '-keyout', 'leaf.key', '-out', 'leaf.csr')
    writeFileSync(join(directory, 'leaf.cnf'), `subjectAltName=${names}\n`)
    const signed = [
      '-in',
      'leaf.csr',
      '-out',
      'leaf.pem',
      '-extfile',
      'leaf.cnf',
      '-startdate',
      from,
      '-enddate',
      until,
    ]
    openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', ...signed)
    return {
      key: readFileSync(join(directory, 'leaf.key'), 'utf8'),
      cert: readFileSync(join(directory, 'leaf.pem'), 'utf8'),
    }
  }
  return { file: join(directory, 'ca.pem'), issue }
}

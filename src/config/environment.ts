// The environment variables. Only this file reads them. The command line loads it without the configuration file's
// schema.
import { resolve } from 'node:path'
import type { ValueLookup } from '../secrets/resolve-value.js'
import type { Proxies } from '../source/network/proxy.js'

/** An empty variable counts as absent. */
export interface Environment {
  /** GITMOOR_DATA */
  readonly data: string | undefined
  /** GITMOOR_URL: the address of the agent, for the command line. */
  readonly url: string | undefined
  /** GITMOOR_TOKEN: goes with `url`. */
  readonly token: string | undefined
  /** NO_COLOR, https://no-color.org */
  readonly noColor: boolean
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case. */
  readonly proxies: Proxies
  /** NODE_EXTRA_CA_CERTS: certificate authorities that Node.js trusts for all connections. */
  readonly extraAuthorities: string | undefined
  /** PATH: the only variable that child processes get. */
  readonly path: string
}

export function readEnvironment(): Environment {
  return {
    data: environmentVariable('GITMOOR_DATA'),
    url: environmentVariable('GITMOOR_URL'),
    token: environmentVariable('GITMOOR_TOKEN'),
    noColor: environmentVariable('NO_COLOR') !== undefined,
    proxies: readProxies(),
    extraAuthorities: environmentVariable('NODE_EXTRA_CA_CERTS'),
    path: environmentVariable('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
  }
}

function readProxies(): Proxies {
  const [https, http, none] = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].map(
    (name) => environmentVariable(name) ?? environmentVariable(name.toLowerCase()),
  )
  return { ...(https && { https }), ...(http && { http }), ...(none && { none }) }
}

/** The base of `${file:…}` and the variables of `${env:…}`. */
export function credentialLookup(directory: string = process.cwd()): ValueLookup {
  return { directory, environment: environmentVariable }
}

/** The absolute path of the data directory: `--data`, else GITMOOR_DATA, else `data` of the file, else `./.gitmoor`. */
export function dataDirectory(option: string | undefined, inFile?: string, directory: string = process.cwd()): string {
  return resolve(directory, option ?? environmentVariable('GITMOOR_DATA') ?? inFile ?? '.gitmoor')
}

/** All variables, for the command line. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  return process.env
}

function environmentVariable(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

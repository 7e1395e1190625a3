// The environment, which is read nowhere else. What a configuration file says is read in config-file.ts, which the
// command line does not load.
import { resolve } from 'node:path'
import type { ValueLookup } from '../secrets/resolve-value.js'
import type { Proxies } from '../source/network/proxy.js'

/** What the environment says. An empty variable counts as absent. */
export interface Environment {
  /** GITMOOR_DATA */
  readonly data: string | undefined
  /** GITMOOR_URL: the agent that the command line talks to. */
  readonly url: string | undefined
  /** GITMOOR_TOKEN: goes with `url`. */
  readonly token: string | undefined
  /** NO_COLOR, https://no-color.org */
  readonly noColor: boolean
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in small letters. */
  readonly proxies: Proxies
  /** NODE_EXTRA_CA_CERTS, which the runtime trusts everywhere. */
  readonly extraAuthorities: string | undefined
  /** PATH, the one variable that a child process is given. */
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

/** Where `${env:…}` and `${file:…}` of credentials are looked up. */
export function credentialLookup(directory: string = process.cwd()): ValueLookup {
  return { directory, environment: environmentVariable }
}

/**
 * The data directory of agent and command line alike: `--data`, else GITMOOR_DATA, else (agent only) the file's `data`,
 * else `./.gitmoor`. Absolute.
 */
export function dataDirectory(option: string | undefined, inFile?: string, directory: string = process.cwd()): string {
  return resolve(directory, option ?? environmentVariable('GITMOOR_DATA') ?? inFile ?? '.gitmoor')
}

/** All variables, for the command line's own use. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  return process.env
}

function environmentVariable(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

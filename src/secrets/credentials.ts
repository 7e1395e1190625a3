// Selects the credential for an address and resolves its current value.
import { createPrivateKey } from 'node:crypto'
import { byAddress } from '../lib/text/address-match.js'
import { ok, problem, warning, type Check } from '../model/agent/check.js'
import { describeError, Unavailable } from '../model/errors.js'
import type { SshLogin } from '../lib/text/ssh-address.js'
import { AppTokens, type AppTokensDeps } from './app-tokens.js'
import type { Credential, GithubApp } from './credential.js'
import { resolveValue, unresolved, type ValueLookup } from './resolve-value.js'
import { resolveSshLogin } from './ssh-login.js'

type Headers = Readonly<Record<string, string>>

export interface CredentialsDeps extends AppTokensDeps {
  readonly lookup: ValueLookup
}

const defaultUsername = 'x-access-token'

/**
 * Provides the headers for an address. Values are resolved at each use, so a token may change while the agent runs;
 * `redactor` learns them all.
 */
export class Credentials {
  #credentials: readonly Credential[]
  #credentialFor: (address: string) => Credential | undefined
  readonly #deps: CredentialsDeps
  readonly #apps: AppTokens

  /** `credentials` have passed `credentialProblems`. */
  constructor(credentials: readonly Credential[], deps: CredentialsDeps) {
    this.#credentials = credentials
    this.#credentialFor = selectByAddress(credentials)
    this.#deps = deps
    this.#apps = new AppTokens(deps)
  }

  /** Replaces all credentials. They have passed `credentialProblems`. The next request uses them. */
  replace(credentials: readonly Credential[]): void {
    this.#credentials = credentials
    this.#credentialFor = selectByAddress(credentials)
  }

  /**
   * The headers for this address, from the entry with the longest match; none: no entry matches. `refused`: headers
   * that the server just rejected, whose cached token is dropped. Errors: `Unavailable` if the value cannot be read.
   */
  async authorization(address: string, refused: Headers = {}): Promise<Headers> {
    const credential = this.#credentialFor(address)
    if (credential === undefined || 'ssh' in credential) return {}
    try {
      return 'githubApp' in credential ? await this.#ofApp(credential.githubApp, refused) : this.#headers(credential)
    } catch (cause) {
      throw credentialUnreadable(credential, cause)
    }
  }

  /**
   * The ssh login for this address, from the entry with the longest match; undefined: no entry matches. Errors:
   * `Unavailable`, as above.
   */
  sshLogin(address: string): SshLogin | undefined {
    const credential = this.#credentialFor(address)
    if (credential === undefined || !('ssh' in credential)) return undefined
    try {
      return resolveSshLogin(credential.ssh, this.#deps.lookup)
    } catch (cause) {
      throw credentialUnreadable(credential, cause)
    }
  }

  /**
   * The token of an entry, for an API of its host. Errors: `Unavailable` if it cannot be read, or has none.
   */
  async token(name: string): Promise<string> {
    const credential = this.#credentials.find((one) => one.name === name)
    if (credential === undefined)
      throw new Unavailable(`There is no credential "${name}".`, { code: 'source/credential-unreadable' })
    try {
      if ('githubApp' in credential) return await this.#apps.token(this.#app(credential.githubApp))
      if ('bearer' in credential) return this.#secret(credential.bearer)
      if ('token' in credential) return this.#secret(credential.token)
      throw unresolved('It contains no token.')
    } catch (cause) {
      throw credentialUnreadable(credential, cause)
    }
  }

  /** Whether the credential for this address allows pushes. */
  push(address: string): boolean {
    return this.#credentialFor(address)?.push === true
  }

  /** The name of the credential for this address; undefined: no entry matches. */
  nameFor(address: string): string | undefined {
    return this.#credentialFor(address)?.name
  }

  /**
   * Checks each credential: whether its value can be read, whether it matches any of these addresses, and whether their
   * servers accept it. `refused`: the addresses whose servers do not, each with the name of its own check. Does not
   * request tokens.
   */
  checks(addresses: readonly string[], refused: ReadonlyMap<string, string> = new Map()): readonly Check[] {
    const used = new Set(addresses.map((address) => this.nameFor(address)))
    return this.#credentials.map((credential) => {
      const refusing = [...refused].filter(([address]) => this.nameFor(address) === credential.name)
      return this.#check(credential, used.has(credential.name), refusing)
    })
  }

  #check(credential: Credential, used: boolean, refusing: readonly (readonly [string, string])[]): Check {
    const name = `credential ${credential.name}`
    try {
      if ('githubApp' in credential) this.#app(credential.githubApp)
      else if ('ssh' in credential) resolveSshLogin(credential.ssh, this.#deps.lookup)
      else this.#headers(credential)
    } catch (error) {
      return problem(
        name,
        describeError(credentialUnreadable(credential, error)),
        `Correct what the message names, or \`credentials.${credential.name}\` in the configuration file.`,
      )
    }
    const [first] = refusing
    if (first !== undefined) {
      const message = `Refused by ${refusing.map(([address]) => address).join(', ')}.`
      const hint = `Check \`credentials.${credential.name}\` in the configuration file: its value, and its permissions.`
      return { ...problem(name, message, hint), cause: first[1] }
    }
    if (used) return ok(name, `for ${credential.match}`)
    return warning(
      name,
      `No stack uses an address below ${credential.match}.`,
      'Correct its `match` in the configuration file, or remove the entry.',
    )
  }

  #headers(credential: Exclude<Credential, { readonly githubApp: GithubApp } | { readonly ssh: SshLogin }>): Headers {
    if ('bearer' in credential) return { authorization: `Bearer ${this.#secret(credential.bearer)}` }
    if ('header' in credential) return { [credential.header.name.toLowerCase()]: this.#secret(credential.header.value) }
    const username = resolveValue(credential.username ?? defaultUsername, this.#deps.lookup)
    if (username.includes(':')) throw unresolved('The username contains a colon.')
    return this.#basic(username, this.#known(credential.token))
  }

  async #ofApp(written: GithubApp, refused: Headers): Promise<Headers> {
    const app = this.#app(written)
    const headers = this.#basic(defaultUsername, await this.#apps.token(app))
    if (headers['authorization'] !== refused['authorization']) return headers
    await this.#apps.invalidate(app, await this.#apps.token(app))
    return this.#basic(defaultUsername, await this.#apps.token(app))
  }

  #basic(username: string, password: string): Headers {
    const basic = Buffer.from(`${username}:${password}`).toString('base64')
    this.#deps.redactor.add(basic)
    return { authorization: `Basic ${basic}` }
  }

  #app({ appId, installationId, privateKey, api }: GithubApp): GithubApp {
    const { lookup } = this.#deps
    const key = this.#known(privateKey)
    if (createPrivateKey(key).asymmetricKeyType !== 'rsa')
      throw unresolved('The private key is not an RSA key, which GitHub Apps require.')
    return {
      appId: resolveValue(appId, lookup),
      installationId: resolveValue(installationId, lookup),
      privateKey: key,
      api,
    }
  }

  /** A value that is a valid HTTP header value. */
  #secret(text: string): string {
    const value = this.#known(text)
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
      throw unresolved('The value contains characters that are invalid in a header.')
    return value
  }

  #known(text: string): string {
    const value = resolveValue(text, this.#deps.lookup)
    this.#deps.redactor.add(value)
    return value
  }
}

function selectByAddress(credentials: readonly Credential[]): (address: string) => Credential | undefined {
  return byAddress(credentials.filter(({ match, allowHttp }) => allowHttp || !match.startsWith('http:')))
}

/** The message contains its cause: commands and lists show only the message. */
function credentialUnreadable({ name }: Credential, cause: unknown): Unavailable {
  return new Unavailable(`Cannot read the credential "${name}": ${describeError(cause)}`, {
    code: 'source/credential-unreadable',
    hint:
      `Correct what the message names, or \`credentials.${name}\` in the configuration file of the agent. ` +
      'The next attempt reads the value again.',
    cause,
  })
}

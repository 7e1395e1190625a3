// A credential in the configuration file. Its texts may contain `${env:NAME}` and `${file:PATH}`.
import type { SshLogin } from '../lib/text/ssh-address.js'

/** One entry of `credentials`. Its kind is recognized by its key. */
export type Credential = CredentialEntry & CredentialKind

export interface CredentialEntry {
  /** Its key in the configuration file. */
  readonly name: string
  /**
   * `https://github.com/acme/`, `ssh://git@github.com/acme/`: scheme, ssh user, host, port and the start of the path,
   * in whole segments.
   */
  readonly match: string
  /** Allows sending it without encryption, which an `http:` match requires. Default: false. */
  readonly allowHttp?: boolean
  /** Also allows changes at the remote: moving a tag. Default: false. */
  readonly push?: boolean
}

export type CredentialKind =
  /** Basic authentication. `username`: default `x-access-token`. */
  | { readonly token: string; readonly username?: string }
  | { readonly bearer: string }
  | { readonly header: { readonly name: string; readonly value: string } }
  | { readonly githubApp: GithubApp }
  /** For ssh addresses. */
  | { readonly ssh: SshLogin }

/** An installation of a GitHub App. Its tokens are requested when needed. */
export interface GithubApp {
  /** The number or the client ID of the app. */
  readonly appId: string
  readonly installationId: string
  /** PEM. */
  readonly privateKey: string
  /** `https://api.github.com` */
  readonly api: string
}

// A credential as the configuration file has it. Texts of its kind may hold `${env:NAME}` and `${file:PATH}`.
import type { SshLogin } from '../lib/ssh-address.js'

/** One entry of `credentials`: of one kind, told by the key it has. */
export type Credential = CredentialEntry & CredentialKind

export interface CredentialEntry {
  /** Its key in the configuration file. */
  readonly name: string
  /**
   * `https://github.com/acme/`, `ssh://git@github.com/acme/`: scheme, user of ssh, host, port and the beginning of the
   * path, in whole segments.
   */
  readonly match: string
  /** Sent without encryption, which an `http:` match needs. Default false. */
  readonly allowHttp?: boolean
  /** May also be used to change something there: to move a tag. Default false. */
  readonly push?: boolean
}

export type CredentialKind =
  /** Basic. `username`: default `x-access-token`. */
  | { readonly token: string; readonly username?: string }
  | { readonly bearer: string }
  | { readonly header: { readonly name: string; readonly value: string } }
  | { readonly githubApp: GithubApp }
  /** Of an address of ssh. */
  | { readonly ssh: SshLogin }

/** An installation of an app of GitHub, whose tokens are asked for as they are needed. */
export interface GithubApp {
  /** Of the app: its number or its client id. */
  readonly appId: string
  readonly installationId: string
  /** PEM. */
  readonly privateKey: string
  /** `https://api.github.com` */
  readonly api: string
}

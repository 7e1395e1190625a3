/**
 * What is behind one address, as it came. `contentType`: as the server said it, without parameters, in lower case; ''
 * for nothing.
 */
export interface RemotePackage {
  /** As it was asked for. */
  readonly url: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface RemoteLimits {
  /** One whole fetch. Default 30,000. */
  readonly remoteMs: number
  /** Of one package. Default 2 MiB. */
  readonly remoteBytes: number
  /** Default 5. */
  readonly remoteRedirects: number
}

/** Packages that a request names by their URLs. */
export interface RemotePackages {
  /**
   * Errors: `Rejected` (no http or https address; a host that is not known or not to be known: one is like the other;
   * an answer other than 200, with its status; too large, too many redirects), `Unavailable` (network, TLS, time, 429,
   * 5xx).
   */
  fetch(url: string, signal: AbortSignal): Promise<RemotePackage>
}

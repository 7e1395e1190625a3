/**
 * The answer of a URL. `contentType`: of the answer, without parameters, in lower case; '' if absent.
 */
export interface RemotePackage {
  /** As requested. */
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

/** Fetches packages that a request names by URL. */
export interface RemotePackages {
  /**
   * Errors: `Rejected` (neither http nor https; an unknown or forbidden host, which look the same; an answer other than
   * 200, with its status; too large; too many redirects), `Unavailable` (network, TLS, timeout, 429, 5xx).
   */
  fetch(url: string, signal: AbortSignal): Promise<RemotePackage>
}

/** Request headers by their lowercase names. */
export type Headers = Readonly<Record<string, string>>

/**
 * The headers that authorize a request to an address (without its query); none: no credential matches it. `refused`:
 * headers that the server just answered with 401, whose cached values are dropped. Errors: `Unavailable` if a
 * credential cannot be read.
 */
export type Authorization = (url: string, refused?: Headers) => Promise<Headers>

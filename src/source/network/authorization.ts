/** Headers of a request, by their names in small letters. */
export type Headers = Readonly<Record<string, string>>

/**
 * The headers that authorize a request to an address (without its query); none: no credential is for it. `refused`:
 * what the server just answered 401 to; what was kept of it is given up. Errors: `Unavailable`, where a credential has
 * no value now.
 */
export type Authorization = (url: string, refused?: Headers) => Promise<Headers>

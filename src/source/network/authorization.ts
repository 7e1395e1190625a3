/** Headers of a request, by their names in small letters. */
export type Headers = Readonly<Record<string, string>>

/** The headers that authorize a request to an address (without its query); none: no credential is for it. Errors: `Unavailable`, where a credential has no value now. */
export type Authorization = (url: string) => Promise<Headers>

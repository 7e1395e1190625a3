// Limits of JSON bodies. Threads read them, too, so this file imports nothing.

/** Nesting of lists and maps in a body. */
export const maximumNesting = 100

/** Values in a body, including those in lists and maps. */
export const maximumValues = 25_000

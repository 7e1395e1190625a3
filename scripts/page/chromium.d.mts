/** CHROMIUM, else the first one in PATH; undefined: there is none. */
export function chromiumPath(): string | undefined
export const chromiumArguments: readonly string[]

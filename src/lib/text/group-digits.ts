/** `12,345` for 12345. `toLocaleString` loads the locales of the machine, which takes 5 % of the start of an agent. */
export function groupDigits(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

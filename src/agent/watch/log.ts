/**
 * The agent's log. Messages are fixed, facts are fields. debug: for finding bugs; info: something changed; warn: it
 * will be retried; error: an operator must act.
 */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}

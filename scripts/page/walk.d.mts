import type { Page } from 'playwright-core'

export interface Walk {
  /** Why the stack failed, as the page says it. */
  readonly cause: string
  readonly seconds: number
  readonly steps: readonly { readonly what: string; readonly seconds: number; readonly visible: string }[]
}

/**
 * Finds out why `stack` failed, and vetoes the commit that broke it, by keys alone. `page` shows the overview. Records
 * into `directory` what was visible.
 */
export function walkToFix(page: Page, options: { readonly stack: string; readonly directory: string }): Promise<Walk>

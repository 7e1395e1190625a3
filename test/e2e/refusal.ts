import { SyncError } from '../../src/model/errors.js'

/** The facts of the error of `work`. Fails if `work` succeeds. */
export async function refusal(work: Promise<unknown>): Promise<{
  readonly status?: string
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}> {
  const error = await work.then(
    () => {
      throw new Error('It was not refused.')
    },
    (reason: unknown) => reason,
  )
  if (!(error instanceof SyncError)) throw error
  const { code, message, hint } = error
  const status = (error as { readonly status?: string }).status
  return { code, message, hint, ...(status === undefined ? {} : { status }) }
}

/** Waits until all have ended, so no write goes on after a failure. Errors: the first one that any of them has. */
export async function endAll(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work)
  const failed = ended.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

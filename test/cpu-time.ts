/**
 * Milliseconds of processor time that this process uses for `work`. What else the machine does counts little, unlike in
 * elapsed time.
 */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

import { cpus, totalmem } from 'node:os'

/** The machine of the measurement. */
export function machine() {
  const [cpu] = cpus()
  return {
    cpu: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${process.arch}`,
    node: `Node ${process.versions.node}`,
  }
}

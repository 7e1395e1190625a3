// sandbox: evaluates untrusted Jsonnet in a child process that can be killed. Takes the files of one package as texts;
// gives the evaluated JSON. Promises: the evaluated program contains no import, so no file is reachable; the child has
// limits on time, memory and output, and no environment; it has ended when the result is returned; only a few run at
// once.
export interface SandboxLimits {
  /** For all Jsonnet of one package. Default: 5,000. */
  readonly evaluationMs: number
  /** Memory of the child process. Default: 256 MiB. */
  readonly evaluationMemory: number
  /** Size of the result. Default: 8 MiB. */
  readonly evaluationBytes: number
}

/** The defaults of the configuration. */
export const sandboxLimits: SandboxLimits = {
  evaluationMs: 5_000,
  evaluationMemory: 256 * 1024 * 1024,
  evaluationBytes: 8 * 1024 * 1024,
}

/** A problem of a file, and its place. */
export interface JsonnetProblem {
  readonly file: string
  /** Starts at 1. */
  readonly line: number
  readonly code: string
  /** A sentence without the file and the line. */
  readonly message: string
  readonly hint?: string
}

/** The result of an evaluation. */
export interface Evaluated {
  /** By the path of each entry point: one JSON text on one line. */
  readonly texts: ReadonlyMap<string, string>
  /** Imported files, which are not part of the package by themselves. */
  readonly imported: ReadonlySet<string>
  readonly problems: readonly JsonnetProblem[]
}

export interface Sandbox {
  /**
   * Evaluates the entry points of a package: `.jsonnet` files that no other file imports. Imports reach only `files`.
   * Errors: `Rejected` if the evaluator is not installed; the signal's reason.
   */
  jsonnet(files: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Evaluated>
}

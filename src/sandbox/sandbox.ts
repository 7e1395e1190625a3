// sandbox: an untrusted evaluator → its output, in a child that can be killed. Takes the files of one package as texts;
// gives what its Jsonnet evaluates to. Promises: what is evaluated holds no import, so that no file is reachable; the
// child has limits on time, memory and output, and no environment; nothing of it is left when the answer is there; a
// few at once, however many ask.
export interface SandboxLimits {
  /** Of all Jsonnet of one package. Default 5,000. */
  readonly evaluationMs: number
  /** Of the child that evaluates it. Default 256 MiB. */
  readonly evaluationMemory: number
  /** Of what it evaluates to. Default 8 MiB. */
  readonly evaluationBytes: number
}

/** What the configuration says where it says nothing. */
export const sandboxLimits: SandboxLimits = {
  evaluationMs: 5_000,
  evaluationMemory: 256 * 1024 * 1024,
  evaluationBytes: 8 * 1024 * 1024,
}

/** What is wrong with a file, and where. */
export interface JsonnetProblem {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly code: string
  /** A sentence without the file and the line. */
  readonly message: string
  readonly hint?: string
}

/** What Jsonnet files gave. */
export interface Evaluated {
  /** By the path of each entry point: one JSON text on one line. */
  readonly texts: ReadonlyMap<string, string>
  /** What was imported: no part of the package by itself. */
  readonly imported: ReadonlySet<string>
  readonly problems: readonly JsonnetProblem[]
}

export interface Sandbox {
  /**
   * Evaluates the entry points of a package: `.jsonnet` files that no other file imports. Imports reach `files` and
   * nothing else. Errors: `Rejected` without the evaluator; the signal's reason.
   */
  jsonnet(files: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Evaluated>
}

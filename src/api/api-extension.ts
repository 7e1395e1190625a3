// The port for routes that an adapter adds to the API: those of another program's API, so that its clients work here.
import type { CallUseCase } from '../webhooks/call-use-case.js'
import type { ErrorAnswer } from './error-answer.js'
import type { Api } from './v1/endpoint.js'
import type { ExampleNames } from './v1/examples/examples.js'

export interface ApiExtension {
  /** What the examples of openapi.json name. Absent: a resource of no real platform. */
  readonly examples?: ExampleNames
  /** True for paths whose errors are answered by `toResponse`. */
  owns(path: string): boolean
  /** True for paths whose bodies are packages: they may be larger (`BodyLimits.packageBytes`). */
  takesPackages(path: string): boolean
  /** Middleware, and routes that need no token. */
  addPublicRoutes(api: Api, call: CallUseCase, version: string): void
  /** Routes that need the token. */
  addRoutes(api: Api, call: CallUseCase): void
  /** An error in the form that clients of these routes know. */
  toResponse(error: unknown, answer: ErrorAnswer): ErrorResponse
}

/** `headers`: without `Content-Type`. */
export interface ErrorResponse {
  readonly http: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

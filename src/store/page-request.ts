export interface PageRequest {
  readonly limit: number
  readonly after?: string | undefined
}

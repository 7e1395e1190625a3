export interface PageOf {
  readonly limit: number
  readonly after?: string
}

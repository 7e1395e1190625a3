// Where times and lanes are, in pixels.

/** Above the first lane. */
export const top = 30
export const laneHeight = 70

/** Where times are. */
export interface Scale {
  readonly x: (time: number) => number
  readonly from: number
  readonly until: number
  readonly left: number
  readonly width: number
  readonly isNarrow: boolean
}

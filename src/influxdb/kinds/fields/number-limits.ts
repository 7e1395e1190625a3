/** The largest whole numbers that InfluxDB and its clients decode, by Go type. No larger float is below 2^63. */
export const largest = {
  int32: 2 ** 31 - 1,
  int64: 2 ** 63 - 1024,
  /** Seconds whose nanoseconds fit into 64 bits. */
  seconds: 9_223_372_036,
} as const

export type WithoutUndefined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** A copy without the keys whose value is undefined. */
export function withoutUndefined<T extends object>(value: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as WithoutUndefined<T>
}

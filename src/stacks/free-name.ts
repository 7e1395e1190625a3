import { generatedName } from '../kinds/influxdb/influxdb.js'

/** A name that no other resource has taken. The same resource gets the same name each time. */
export function freeName(
  { family, identity }: { readonly family: string; readonly identity: string },
  taken: ReadonlySet<string>,
): string {
  let name = generatedName(identity)
  for (let turn = 1; taken.has(name); turn++) name = generatedName(`${family}/${identity}/${turn}`)
  return name
}

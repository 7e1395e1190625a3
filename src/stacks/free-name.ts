import { generatedName } from '../kinds/influxdb/influxdb.js'

/** A name that stays the same for the same thing (packages 7.2), and is not taken. */
export function freeName({ family, identity }: { readonly family: string; readonly identity: string }, taken: ReadonlySet<string>): string {
  let name = generatedName(identity)
  for (let turn = 1; taken.has(name); turn++) name = generatedName(`${family}/${identity}/${turn}`)
  return name
}

import type { Address, Identity } from '../../model/address.js'
import type { Claim, Claims, Owned } from '../../model/resource.js'
import type { OwnershipTable } from '../store.js'
import type { OwnedRows } from './owned-rows.js'
import { ownedOf } from './rows.js'
import type { SqliteFile } from './sqlite-file.js'

const page = 500

export class SqliteOwnership implements OwnershipTable {
  readonly #file: SqliteFile
  readonly #owned: OwnedRows

  constructor(file: SqliteFile, owned: OwnedRows) {
    this.#file = file
    this.#owned = owned
  }

  of(stack: string): Promise<ReadonlyMap<Address, Owned>> {
    return this.#file.read(() => new Map(this.#owned.all(stack).map((record) => [record.address, record])))
  }

  async claims(stack: string, found: readonly { readonly family: string; readonly identity: Identity }[]): Promise<Claims> {
    const claims = new Map<string, Claim[]>()
    if (await this.#alone(stack)) return claimsOf(claims)
    for (const [family, identities] of byFamily(found))
      for (let i = 0; i < identities.length; i += page) await this.#claimsOn(stack, family, identities.slice(i, i + page), claims)
    return claimsOf(claims)
  }

  async owners(
    target: string,
    things: readonly { readonly family: string; readonly identity: Identity }[],
  ): Promise<ReadonlyMap<string, { readonly stack: string; readonly address: Address }>> {
    const owners = new Map<string, { readonly stack: string; readonly address: Address }>()
    for (const [family, identities] of byFamily(things)) {
      for (let i = 0; i < identities.length; i += page) {
        const query = this.#file.build
          .selectFrom('owned')
          .innerJoin('stacks', 'stacks.id', 'owned.stack')
          .select(['stacks.name', 'owned.address', 'owned.identity'])
          .where('owned.target', '=', target)
          .where('owned.family', '=', family)
          .where('owned.identity', 'in', identities.slice(i, i + page))
          .where('owned.shared', '=', 0)
        for (const row of await this.#file.read(() => this.#file.all(query)))
          owners.set(`${family}/${row.identity}`, { stack: row.name, address: row.address as Address })
      }
    }
    return owners
  }

  /** True if no other stack has anything on this stack's target. */
  async #alone(stack: string): Promise<boolean> {
    const target = this.#file.build.selectFrom('stacks').select('target').where('id', '=', stack)
    const query = this.#file.build.selectFrom('owned').select('seq').where('target', '=', target).where('stack', '<>', stack).limit(1)
    return this.#file.read(() => this.#file.get(query) === undefined)
  }

  async #claimsOn(stack: string, family: string, identities: readonly string[], claims: Map<string, Claim[]>): Promise<void> {
    const target = this.#file.build.selectFrom('stacks').select('target').where('id', '=', stack)
    const query = this.#file.build
      .selectFrom('owned')
      .innerJoin('stacks', 'stacks.id', 'owned.stack')
      .selectAll('owned')
      .select('stacks.name as stackName')
      .where('owned.target', '=', target)
      .where('owned.family', '=', family)
      .where('owned.identity', 'in', identities)
      .where('owned.stack', '<>', stack)
      .orderBy('owned.seq')
    for (const row of await this.#file.read(() => this.#file.all(query))) {
      const key = `${family} ${row.identity}`
      claims.set(key, [...(claims.get(key) ?? []), { stack: row.stack, stackName: row.stackName, owned: ownedOf(row) }])
    }
  }
}

function byFamily(things: readonly { readonly family: string; readonly identity: Identity }[]): ReadonlyMap<string, Identity[]> {
  const families = new Map<string, Identity[]>()
  for (const { family, identity } of things) {
    const list = families.get(family)
    if (list === undefined) families.set(family, [identity])
    else list.push(identity)
  }
  return families
}

function claimsOf(claims: ReadonlyMap<string, readonly Claim[]>): Claims {
  const of = (family: string, identity: Identity): readonly Claim[] => claims.get(`${family} ${identity}`) ?? []
  return {
    owner: (family, identity) => of(family, identity).find((claim) => claim.owned.shared !== true),
    sharers: (family, identity) => of(family, identity).filter((claim) => claim.owned.shared === true),
  }
}

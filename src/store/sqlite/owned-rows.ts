// Ownership inside a transaction: who owns, who shares, and how it passes on.
import { familyOf, type Address } from '../../model/address.js'
import { Rejected } from '../../model/errors.js'
import type { Owned } from '../../model/resource.js'
import { ownedColumns, ownedOf, text } from './rows.js'
import type { SqliteFile } from './sqlite-file.js'

export class OwnedRows {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  of(stack: string, addresses: readonly Address[]): readonly Owned[] {
    const query = this.#file.build.selectFrom('owned').selectAll().where('stack', '=', stack).where('address', 'in', addresses)
    return this.#file.all(query).map(ownedOf)
  }

  all(stack: string): readonly Owned[] {
    const rows = this.#file.all(this.#file.build.selectFrom('owned').select(ownedColumns).where('stack', '=', stack))
    return rows.sort((a, b) => a.seq - b.seq).map(ownedOf)
  }

  /** Writes a record. `yielding`: where another stack owns the thing by now, this one shares it; else that is an error. */
  own(stack: string, record: Owned, yielding: boolean): void {
    const { build } = this.#file
    const target = this.#target(stack)
    const family = familyOf(record.address)
    const taken = record.shared !== true && this.#ownedByOther(stack, target, family, record.identity)
    if (taken && !yielding)
      throw new Rejected(`${record.address} belongs to another stack by now.`, {
        code: 'store/owned',
        hint: 'The next sync sees it and says whose it is.',
      })
    const columns = {
      target,
      family,
      kind: record.kind,
      identity: record.identity,
      applied: JSON.stringify(record.applied),
      needs: JSON.stringify(record.needs),
      part_of: record.partOf ?? null,
      adopted: record.adopted ? 1 : 0,
      shared: record.shared === true || taken ? 1 : 0,
      changed_run: record.changed === undefined ? null : Number(record.changed.run),
      changed: text(record.changed),
    }
    if (columns.shared === 0) this.#giveUpElsewhere(stack, record, target)
    this.#file.run(
      build
        .insertInto('owned')
        .values({ stack, address: record.address, ...columns })
        .onConflict((conflict) => conflict.columns(['stack', 'address']).doUpdateSet(columns)),
    )
  }

  /** What was gone and is made again under another address (a mapping is its two ends) is not owned under the old one, too. */
  #giveUpElsewhere(stack: string, { address, identity }: Owned, target: string): void {
    const query = this.#file.build.deleteFrom('owned').where('stack', '=', stack).where('address', '<>', address)
    this.#file.run(
      query.where('target', '=', target).where('family', '=', familyOf(address)).where('identity', '=', identity).where('shared', '=', 0),
    )
  }

  disown(stack: string, addresses: readonly Address[]): void {
    if (addresses.length === 0) return
    this.#file.run(this.#file.build.deleteFrom('owned').where('stack', '=', stack).where('address', 'in', addresses))
  }

  /** Before `own`: whoever owned the thing until now shares it. */
  takeOver(stack: string, { address, identity }: Owned): void {
    const query = this.#file.build.updateTable('owned').set({ shared: 1 }).where('target', '=', this.#target(stack))
    this.#file.run(query.where('family', '=', familyOf(address)).where('identity', '=', identity).where('stack', '<>', stack))
  }

  /** A thing that nobody owns by now belongs to the stack of this name again, else to the oldest sharer. */
  giveBack({
    to,
    target,
    family,
    identity,
  }: {
    readonly to: string
    readonly target: string
    readonly family: string
    readonly identity: string
  }): void {
    const rows = this.#file.build.selectFrom('owned').where('owned.target', '=', target).where('family', '=', family)
    const sharers = this.#file.all(
      rows.innerJoin('stacks', 'stacks.id', 'owned.stack').select(['seq', 'shared', 'name']).where('identity', '=', identity),
    )
    const before = sharers.every(({ shared }) => shared === 1) ? sharers.find(({ name }) => name === to) : undefined
    if (before === undefined) return this.passOn(target, [{ family, identity }])
    this.#file.run(this.#file.build.updateTable('owned').set({ shared: 0 }).where('seq', '=', before.seq))
  }

  /** What nobody owns any more, but others declare, belongs to the one that declared it first. */
  passOn(target: string, dropped: readonly { readonly family: string; readonly identity: string }[]): void {
    for (const { family, identity } of dropped) {
      const rows = this.#file.all(
        this.#file.build
          .selectFrom('owned')
          .select(['seq', 'shared'])
          .where('target', '=', target)
          .where('family', '=', family)
          .where('identity', '=', identity)
          .orderBy('seq'),
      )
      const heir = rows.every((row) => row.shared === 1) ? rows[0] : undefined
      if (heir !== undefined) this.#file.run(this.#file.build.updateTable('owned').set({ shared: 0 }).where('seq', '=', heir.seq))
    }
  }

  #ownedByOther(stack: string, target: string, family: string, identity: string): boolean {
    const query = this.#file.build
      .selectFrom('owned')
      .select('stack')
      .where('target', '=', target)
      .where('family', '=', family)
      .where('identity', '=', identity)
      .where('shared', '=', 0)
      .where('stack', '<>', stack)
    return this.#file.get(query) !== undefined
  }

  #target(stack: string): string {
    const row = this.#file.get(this.#file.build.selectFrom('stacks').select('target').where('id', '=', stack))
    if (row === undefined) throw new Rejected('The stack was deleted meanwhile.', { code: 'store/stack-gone' })
    return row.target
  }
}

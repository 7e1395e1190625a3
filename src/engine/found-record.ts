import type { Kind } from '../model/kind.js'
import type { Observed, Owned } from '../model/resource.js'
import type { Entry } from './journal.js'

/** Ownership of a created resource of which only the journal entry is known. */
export function foundRecord(change: Entry['change'], there: Observed, kind: Kind): Owned {
  return {
    address: change.address,
    kind: change.kind,
    identity: there.identity,
    applied: kind.normalise(there.live),
    needs: change.needs,
    ...(change.partOf === undefined ? {} : { partOf: change.partOf }),
    adopted: false,
  }
}

/** A change of the database itself that people should know of: repaired, restored, upgraded. */
export interface DatabaseEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `store/repaired`: the room, then the event. */
  readonly code: string
  readonly message: string
}

export interface DatabaseEventTable {
  /** The newest first. */
  list(limit: number): Promise<readonly DatabaseEvent[]>
}

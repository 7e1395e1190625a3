// The tables, as kysely sees them. JSON columns are text. Times are milliseconds since the epoch.
import type { Generated } from 'kysely'
import type { ManagedBy } from '../../../model/stacks/stack-owner.js'
import type { BlockedBy, Decision, DetectedBy, Direction, MoveState } from '../../../model/sources/channel.js'

export interface Tables {
  stacks: {
    id: string
    name: string
    target: string
    spec: string
    managed_by: ManagedBy
    created_at: number
    suspended: string | null
    pinned: string | null
    observed: string | null
    attempted: string | null
    applied: string | null
    consent: string | null
    checked_at: number | null
    drifted: number
    failure: string | null
    retries: number
    retry_at: number | null
    drifted_since: number | null
    unhealthy: string | null
    unhealthy_since: number | null
  }
  runs: {
    id: Generated<number>
    stack: string
    revision: string
    /** Equal for equal revisions: `revisionHashes`. */
    revision_hashes: string
    attempted: number
    cause: string
    intent: 'sync' | 'uninstall' | 'delete' | 'ownership'
    expects: string | null
    phase: string
    outcome: string | null
    /** Digest of one of `plans`. */
    plan: string | null
    changes: string | null
    problems: string
    files: string | null
    /** Digest of one of `event_resources`. */
    event_resources: string | null
    event: string | null
    created_at: number
    /** When its plan began. */
    started_at: number | null
    finished_at: number | null
    fetching_at: number | null
    applying_at: number | null
    undoing_at: number | null
    /** Digest of one of `run_settings`. */
    settings: string | null
  }
  /** The settings of a stack that runs read, once for all runs with the same ones. */
  run_settings: { digest: string; spec: string }
  /** Of each stack that had a run: the token of its newest lease. */
  leases: { stack: string; token: number }
  /** Of each stack with drift: what its last check found. */
  drift: { stack: string; checked_at: number; changes: string }
  /** `runs`: the newest ones, without plans. */
  deleted_stacks: {
    seq: Generated<number>
    id: string
    name: string
    target: string
    deleted_at: number
    deleted_by: string
    runs: string
  }
  owned: {
    seq: Generated<number>
    stack: string
    address: string
    target: string
    family: string
    kind: string
    identity: string
    applied: string
    needs: string
    part_of: string | null
    adopted: number
    shared: number
    changed_run: number | null
    changed: string | null
  }
  journal: {
    id: Generated<number>
    stack: string
    run: number
    change: string
    state: 'doing' | 'done' | 'undoing' | 'undone'
    before: string | null
    trace: string | null
    identity: string | null
    owned_before: string
  }
  /** What a stack owned at an event, once for all events with the same resources. */
  event_resources: { digest: string; resources: string }
  plans: { digest: string; body: Buffer }
  packages: { digest: string; files: string }
  pushes: { stack: string; digest: string; pushed_by: string; pushed_at: number; sources: string | null }
  blobs: { id: string; bytes: Buffer }
  /** `move`, `released`: ids of `moves`. */
  channels: {
    remote: string
    ref: string
    commit_id: string | null
    object_id: string | null
    tag: string | null
    seen_at: number
    move: number | null
    released: number | null
    pin: string | null
  }
  moves: {
    id: Generated<number>
    remote: string
    ref: string
    from_object: string | null
    from_commit: string | null
    to_object: string | null
    to_commit: string | null
    from_tag: string | null
    to_tag: string | null
    seen_at: number
    detected_by: DetectedBy
    name: string
    state: MoveState
    blocked_by: BlockedBy | null
    until: number | null
    direction: Direction | null
    facts: string | null
    released_at: number | null
    decision: string | null
  }
  decisions: {
    id: Generated<number>
    remote: string
    ref: string
    kind: Decision['kind']
    move: number | null
    commit_id: string | null
    decided_by: string
    why: string
    at: number
  }
  deliveries: {
    id: Generated<number>
    hook: string
    at: number
    key: string
    /** Of key and body. null: a repeated delivery is not recognized. */
    digest: string | null
    event: string
    remotes: string
    changes: string
    result: string | null
    message: string
    runs: string
    took_ms: number
  }
  /** What was last reported of each stack, as JSON. A row with the id '' says that stacks are watched. */
  stack_reports: { stack: string; report: string }
  /** `subject`: of a commit status; `content`: the status. */
  messages: {
    id: Generated<number>
    key: string
    receiver: string
    kind: string
    subject: string | null
    state: string
    content: string | null
    counts: string
    created_at: number
    due_at: number
    attempts: number
    ended_at: number | null
    status: number | null
    error: string
  }
  transitions: { seq: Generated<number>; message: number; transition: string }
  /** `listing`: what its last listing found. */
  fleets: {
    name: string
    spec: string
    managed_by: 'api' | 'file'
    declared: number
    created_at: number
    listing: Generated<string | null>
  }
  /** One row: the policies of the configuration file when it was last read. */
  policies: { id: number; declared: string }
  database_events: { id: Generated<number>; at: number; code: string; message: string }
  overrides: {
    id: Generated<number>
    stack: string
    at: number
    done_by: string
    what: string
    why: string
    overrode: string
  }
  /** One row: the id of this database, and the position of the decision log. */
  recorded: { database: string; seq: number }
  sessions: { digest: string; token: string; name: string; created_at: number; used_at: number }
  documents: {
    space: string
    family: string
    id: string
    key: string | null
    state: string
    created_at: number | null
    updated_at: number | null
  }
  links: { space: string; id: string; target_id: string; family: string }
}

// How bytes reach a remote. One question goes out, in the version of the git protocol that is spoken there; its answer
// comes back as it arrives.
import { Rejected, Unavailable } from '../../../model/errors.js'
import { Deadline, type Timeouts } from '../../network/deadline.js'
import { showText } from '../../../lib/printable.js'
import type { OnRead } from '../../source.js'

export type GitService = 'git-upload-pack' | 'git-receive-pack'

/**
 * The same question in each version of the protocol (gitprotocol-v2, gitprotocol-pack). Version 0 is the last resort;
 * version 1 is like it.
 */
export interface GitRequest {
  /** Default git-upload-pack. */
  readonly service?: GitService
  /** Left out: it is asked in version 0 only, as all of git-receive-pack. */
  readonly v2?: Buffer
  /** Left out: the answer is the listing of all refs, with which a service of version 0 begins. */
  readonly v0?: Buffer
  /** Told how the remote is reached, `git-http`, `git-http-v0`, before anything of its answer comes. */
  readonly onMethod?: (method: string) => void
}

export interface Transport {
  /** The answer as it arrives. Errors: `Unavailable`, `Rejected`. Leaving the iteration early ends the exchange. */
  send(remote: string, question: GitRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>>
}

export interface Exchange {
  readonly remote: string
  readonly request: GitRequest
  readonly timeouts: Timeouts
  readonly onRead?: OnRead | undefined
}

/** One exchange, held to its time: silence of the other side and the whole of it. */
export async function* exchange(
  transport: Transport,
  { remote, request, timeouts, onRead = () => {} }: Exchange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  using deadline = new Deadline(timeouts, remote, signal)
  deadline.startSilence()
  let method = 'none'
  const onMethod = (used: string): void => onRead({ method: (method = used), bytes: 0 })
  try {
    for await (const chunk of await transport.send(remote, { ...request, onMethod }, deadline)) {
      deadline.stopSilence()
      onRead({ method, bytes: chunk.length })
      yield chunk
      deadline.startSilence()
    }
  } catch (error) {
    throw deadline.over === undefined ? error : deadline.over.reason
  }
}

/** Throws where a service says in its greeting that it has objects of another format than ours. */
export function refuseOtherFormat(remote: string, greeting: string): void {
  const [, format = 'sha1'] = /object-format=(\w{1,20})/.exec(greeting) ?? []
  if (format !== 'sha1') throw otherFormat(remote, format)
}

export function otherFormat(remote: string, format: string): Rejected {
  return new Rejected(`${remote} names its objects by ${format}; gitmoor reads repositories that name them by sha1.`, {
    code: 'source/object-format',
    hint: 'Follow a repository that was made with `git init --object-format=sha1`, which is the default.',
  })
}

/** What the remote says in an `ERR` packet or on the error band, as an error of ours. */
export function remoteError(remote: string, text: string): Rejected | Unavailable {
  const said = showText(text.replace(/^ERR /, '').replace(/[\0\s]+$/, ''))
  if (/not our ref/.test(said)) {
    return new Rejected(`${remote} does not have the commit: it says '${said}'.`, {
      code: 'source/commit-missing',
      hint:
        'Check the commit. One that no branch or tag leads to any more may have been cleaned away; a server that speaks only version 0 of the protocol may give ' +
        'only those that a ref is at. Push it again, or follow another ref.',
    })
  }
  return new Unavailable(`${remote} gave up: it says '${said}'.`, {
    code: 'source/remote-error',
    hint: 'gitmoor tries again by itself.',
  })
}

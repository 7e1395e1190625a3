// protocol: how git requests reach a remote. Takes a request in the versions of the git protocol that can carry it;
// gives the response as it arrives. Promises: an exchange ends with its deadline.
import { Rejected, Unavailable } from '../../../model/errors.js'
import { Deadline, type Timeouts } from '../../network/deadline.js'
import { showText } from '../../../lib/text/printable.js'
import type { OnRead } from '../../source.js'

export type GitService = 'git-upload-pack' | 'git-receive-pack'

/**
 * One request, in each version of the git protocol that can carry it (gitprotocol-v2, gitprotocol-pack). Version 1 is
 * handled as version 0. Some servers speak only version 0: Azure DevOps, and git behind an sshd that does not accept
 * GIT_PROTOCOL.
 */
export interface GitRequest {
  /** Default: git-upload-pack. */
  readonly service?: GitService
  /** Undefined: only version 0 has this request. git-receive-pack has no version 2. */
  readonly v2?: Buffer
  /** Undefined: the response is the listing of all refs that a version 0 service starts with. */
  readonly v0?: Buffer
  /** Called with the transport and version, `git-http` or `git-http-v0`, before the response arrives. */
  readonly onMethod?: (method: string) => void
}

export interface Transport {
  /** The response as it arrives. Errors: `Unavailable`, `Rejected`. Leaving the iteration early ends the exchange. */
  send(remote: string, question: GitRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>>
}

export interface Exchange {
  readonly remote: string
  readonly request: GitRequest
  readonly timeouts: Timeouts
  readonly onRead?: OnRead | undefined
}

/** One exchange. It ends when the remote is silent for too long, or when it takes too long as a whole. */
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

/** Throws if the greeting of a service announces an object format other than SHA-1. */
export function refuseOtherFormat(remote: string, greeting: string): void {
  const [, format = 'sha1'] = /object-format=(\w{1,20})/.exec(greeting) ?? []
  if (format !== 'sha1') throw otherFormat(remote, format)
}

export function otherFormat(remote: string, format: string): Rejected {
  return new Rejected(`${remote} uses the object format ${format}; gitmoor supports only sha1.`, {
    code: 'source/object-format',
    hint: 'Use a repository created with `git init --object-format=sha1`, which is the default.',
  })
}

/** Converts the text of an `ERR` packet, or of the error band, to an error. */
export function remoteError(remote: string, text: string): Rejected | Unavailable {
  const said = showText(text.replace(/^ERR /, '').replace(/[\0\s]+$/, ''))
  if (/not our ref/.test(said)) {
    return new Rejected(`${remote} does not have the commit: "${said}".`, {
      code: 'source/commit-missing',
      hint:
        'Check the commit. Git removes commits that no branch or tag reaches. ' +
        'A server that supports only version 0 of the git protocol may serve only commits that a ref points to. ' +
        'Push the commit again, or follow another ref.',
    })
  }
  return new Unavailable(`${remote} failed: "${said}".`, {
    code: 'source/remote-error',
  })
}

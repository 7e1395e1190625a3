// How bytes reach a remote. One request of protocol v2 goes out, its answer comes back as it arrives.
import { Rejected, Unavailable } from '../../model/errors.js'
import { Deadline } from '../network/deadline.js'
import type { Waits } from '../network/deadline.js'
import { showText } from '../../model/show-text.js'

export interface Transport {
  /** Errors: `Unavailable`, `Rejected`; the signal's reason when aborted. Leaving the iteration early ends the exchange. */
  ask(remote: string, request: Buffer, signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** One exchange, held to its time: silence of the other side and the whole of it. */
export async function* exchange(
  transport: Transport,
  { remote, request, waits }: { readonly remote: string; readonly request: Buffer; readonly waits: Waits },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  using deadline = new Deadline(waits, remote, signal)
  deadline.listen()
  try {
    for await (const chunk of transport.ask(remote, request, deadline.signal)) {
      deadline.rest()
      yield chunk
      deadline.listen()
    }
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  }
}

/** What the remote says in an `ERR` packet or on the error band, as an error of ours. */
export function remoteError(remote: string, text: string): Rejected | Unavailable {
  const said = showText(text.replace(/^ERR /, ''))
  if (/not our ref/.test(said)) {
    return new Rejected(`${remote} does not have the commit: it says '${said}'.`, {
      code: 'source/commit-missing',
      hint: 'Check the commit. One that no branch or tag leads to any more may have been cleaned away; push it again, or follow another ref.',
    })
  }
  if (/expected to get|unknown capability|unexpected line/.test(said)) return noProtocolV2(remote)
  return new Unavailable(`${remote} gave up: it says '${said}'.`, { code: 'source/remote-error', hint: 'gitmoor tries again by itself.' })
}

export function noProtocolV2(remote: string): Rejected {
  return new Rejected(`${remote} does not speak version 2 of the git protocol.`, {
    code: 'source/no-protocol-v2',
    hint: 'The server needs git 2.18 or newer; where a proxy stands before it, let the header Git-Protocol through.',
  })
}

// Sends a message as an e-mail. nodemailer is loaded with the first one.
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { Unavailable, Rejected } from '../model/errors.js'
import { readSmallFile } from '../secrets/resolve-value.js'
import { messageLines, messageTitle } from './message-text.js'
import type { EmailTarget } from './receiver.js'
import type { Outgoing } from './requests.js'

/** Opens a TCP connection to a checked address. */
export type OpenSocket = (
  server: { readonly host: string; readonly port: number },
  signal: AbortSignal,
) => Promise<Socket>

export interface EmailDeps {
  readonly openSocket: OpenSocket
  readonly signal: AbortSignal
}

const mostCaBytes = 1024 * 1024

/** With resolved texts. Errors: `Unavailable` to try again, `Rejected` if the server refused the mail for good. */
export async function sendEmail(target: EmailTarget, outgoing: Outgoing, deps: EmailDeps): Promise<number> {
  const { host, port, isTls } = mailServer(target.server)
  const { createTransport } = await import('nodemailer')
  const { message, publicUrl } = outgoing
  const { username, password, ca } = target
  const connection = await openOrExplain(target, deps)
  try {
    const transport = createTransport({
      host,
      port,
      connection,
      secure: isTls,
      requireTLS: !isTls && !target.allowUnencrypted,
      ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' } }),
      tls: {
        servername: host,
        ...(ca === undefined ? {} : { ca: [...rootCertificates, readSmallFile(ca, mostCaBytes)] }),
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const sent = await transport.sendMail({
      from: target.from,
      to: [...target.to],
      subject: `[gitmoor] ${messageTitle(message)}`,
      text: `${messageLines(message, publicUrl).join('\n')}\n`,
      messageId: `<${message.key}@gitmoor>`,
      date: new Date(message.createdAt),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Gitmoor-Delivery': message.key },
    })
    return Number.parseInt(sent.response, 10) || 250
  } catch (error) {
    throw mailError(host, error)
  } finally {
    connection.destroy()
  }
}

/** Host, port and kind of TLS of `smtps://HOST[:PORT]` or `smtp://HOST[:PORT]`. */
export function mailServer(server: string): { readonly host: string; readonly port: number; readonly isTls: boolean } {
  const url = new URL(server)
  const isTls = url.protocol === 'smtps:'
  const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, isTls }
}

async function openOrExplain({ server }: EmailTarget, { openSocket, signal }: EmailDeps): Promise<Socket> {
  const { host, port } = mailServer(server)
  try {
    return await openSocket({ host, port }, signal)
  } catch (cause) {
    if (cause instanceof Rejected) throw cause
    throw new Unavailable(`The mail server ${host}:${port} is unreachable.`, {
      code: 'notifications/unreachable',
      cause,
    })
  }
}

/** A mail server answers 5xx to what it will refuse again. A wrong password may be corrected meanwhile. */
function mailError(host: string, cause: unknown): Unavailable | Rejected {
  const { responseCode = 0, code } = cause as { readonly responseCode?: number; readonly code?: string }
  const facts = { code: 'notifications/mail', cause }
  const isFinal = responseCode >= 500 && code !== 'EAUTH'
  const message = `The mail server ${host} did not take the message.`
  return isFinal ? new Rejected(message, facts) : new Unavailable(message, facts)
}

/** The SMTP status of a refusal; null: there was none. */
export function mailStatus(error: unknown): number | null {
  const cause = error instanceof Error ? (error.cause as { readonly responseCode?: number } | undefined) : undefined
  return cause?.responseCode ?? null
}

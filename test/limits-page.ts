// docs/reference/limits.md, from the schema of the configuration and from the limits where they are enforced.
import { mostFactCharacters } from '../src/agent/watch/write-log.js'
import { bodyLimits } from '../src/api/server/bounded-body.js'
import { concurrencyLimits } from '../src/api/server/concurrency-limit.js'
import { maximumNesting, maximumValues } from '../src/api/server/json-limits.js'
import { wireLimits } from '../src/influxdb/api/wire-body.js'
import { receiverLimits } from '../src/api/webhook-receiver.js'
import { mostPerPage } from '../src/api/v1/paging.js'
import { maximumHeadBytes, mostPipelined, serverLimits } from '../src/api/server/server.js'
import { maximumResponseBytes } from '../src/cli/client/client.js'
import { maximumPlanFileBytes as planFileBytes } from '../src/cli/files/plan-file.js'
import { maximumResourceFileBytes as resourceFileBytes } from '../src/cli/verbs/resource/resource-file.js'
import { limitsDocument, type LimitNote } from '../src/config/limits.js'
import { lateLimits } from '../src/graph/late/late-fields.js'
import { mostUnknown } from '../src/influxdb/kinds/fields/fields.js'
import { mostProblems } from '../src/model/problem.js'
import { mostShown } from '../src/lib/text/printable.js'
import { ignoreFile } from '../src/package/package-files.js'
import { packageLimits } from '../src/package/package.js'
import { mostCharacters, mostPatterns } from '../src/package/package-files.js'
import { mostKeyCharacters } from '../src/package/parse-error.js'
import { linkBounds } from '../src/sandbox/jsonnet/jsonnet-units.js'
import { mostSecretFileBytes as secretFileBytes } from '../src/secrets/resolve-value.js'
import { mostConditions, mostLabels } from '../src/settings/labels.js'
import { mostWindows } from '../src/settings/documents/schedule-document.js'
import { mostDependencies } from '../src/settings/setting-forms.js'
import { mostSources } from '../src/settings/documents/source-document.js'
import { mostSchemaProblems } from '../src/settings/schema/strict-object.js'
import { maximumAliases, maximumBytes as yamlBytes } from '../src/settings/schema/read-yaml.js'
import { mostRetryAfterMs } from '../src/model/errors.js'
import { mostRedirects } from '../src/source/git/protocol/http-transport.js'
import { mostTlsFileBytes as certificateFileBytes } from '../src/source/network/connection.js'
import { mostConnections } from '../src/source/network/dispatchers.js'
import { mostInterim } from '../src/source/network/send.js'
import { mostPostBytes as answerBytes } from '../src/source/network/post.js'
import { mostPacks } from '../src/source/git/mirror/mirror.js'
import { packLimits } from '../src/source/git/pack/pack-limits.js'
import { walkedPerFile } from '../src/source/tree/read-files.js'
import { mostRatio } from '../src/source/archive/archive.js'
import { mostPathBytes } from '../src/source/archive/entry-path.js'
import { mostNameBytes } from '../src/source/file-names.js'
import { mostReceivers } from '../src/config/notifications.js'
import { mostInJson, mostLines } from '../src/notifications/message-text.js'
import { attemptMs } from '../src/notifications/send-message.js'
import { retriedMs } from '../src/notifications/sender.js'
import { messagesKept } from '../src/store/sqlite/sqlite-messages.js'
import { deliveriesKept } from '../src/store/sqlite/sqlite-deliveries.js'
import { maximumNesting as webhookNesting } from '../src/webhooks/payload.js'
import { REDIRECTS as urlRedirects } from '../src/source/url/url-source.js'

type Row = readonly string[]

const number = (value: number): string => value.toLocaleString('en')
const bytes = (value: number): string =>
  value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : value % 1024 === 0 ? `${value / 1024} KiB` : `${value} B`
const seconds = (ms: number): string => (ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${ms / 1000} s`)

/** What is limited, the limit, and what happens beyond it. */
const fixed: Readonly<Record<string, readonly Row[]>> = {
  Sources: [
    ['Redirects of a git server, within its host', number(mostRedirects), '`source/redirected`'],
    ['Redirects of a git server to another host, scheme or port', '0', '`source/redirected` names the address'],
    ['Redirects of a file or archive', number(urlRedirects), '`source/redirected`'],
    ['`Retry-After`', seconds(mostRetryAfterMs), 'a longer time counts as this'],
    ['Connections to one server', number(mostConnections), 'further requests wait'],
    ['1xx answers before the answer to a request', number(mostInterim), '`source/unreachable`'],
    ['A certificate file, a key file', bytes(certificateFileBytes), '`source/connection-files`'],
    ["An answer to a GitHub app's request", bytes(answerBytes), '`source/server-error`: no token'],
    ['Unpacked size of a pack', `${packLimits.unpackedPerPacked} times \`packBytes\``, '`source/pack-too-large`'],
    [
      'Unpacked size of an archive',
      `${mostRatio} times its size, and ${packLimits.unpackedPerPacked} times \`packBytes\``,
      '`source/archive-too-large`',
    ],
    ['Bytes of a path in an archive', number(mostPathBytes), '`source/unsafe-archive`'],
    ['Objects of a pack', number(packLimits.objects), '`source/pack-too-large`'],
    ['Depth of deltas in a pack', number(packLimits.deltaDepth), '`source/pack-too-large`'],
    ['A file that is stored as a delta', bytes(packLimits.deltaBytes), '`source/pack-too-large`'],
    ['A commit, a tag', bytes(packLimits.authoredBytes), '`source/pack-too-large`'],
    ['Names and ids of one folder', bytes(packLimits.treeBytes), '`source/pack-too-large`'],
    [
      'Bytes of an answer beside its pack',
      `${bytes(packLimits.overheadBytes)}, and 1/${1 / packLimits.overheadPerPacked} of the pack`,
      '`source/pack-too-large`',
    ],
    ['Packs of one repository on disk', number(mostPacks), 'one whole pack replaces them'],
    ['Bytes of a file name', number(mostNameBytes), '`source/unsafe-tree`'],
    ['Skipped entries for each file', number(walkedPerFile), '`source/too-many-files`'],
    ["A server's words in a message", `${number(mostShown)} characters`, 'cut, with …'],
  ],
  Packages: [
    ['Depth of lists and maps', number(packageLimits.depth), '`package/depth`: the file is rejected'],
    ['Values of one file', number(packageLimits.values), '`package/too-large`: the file is rejected'],
    ['Values of all files', number(packageLimits.totalValues), '`package/too-large`'],
    ['Values of one document', number(packageLimits.documentValues), '`package/too-large`: the document is rejected'],
    ['YAML aliases in a file', number(packageLimits.aliases), '`package/alias`: the file is rejected'],
    ['Values that aliases expand to', number(packageLimits.aliasNodes), '`package/alias`: the file is rejected'],
    ['Characters of a key', number(mostKeyCharacters), '`package/key-length`: the file is rejected'],
    [`Lines of a \`${ignoreFile}\``, number(mostPatterns), '`package/ignore-pattern`'],
    ['Characters of such a line', number(mostCharacters), '`package/ignore-pattern`'],
    ['Problems of a package or an answer', number(mostProblems), 'counted; errors are listed before warnings'],
    ['Characters of Jsonnet with its imports', number(linkBounds.characters), '`sandbox/too-large`'],
    ['Imports of Jsonnet', number(linkBounds.imports), '`sandbox/too-large`'],
    ['Evaluated Jsonnet files', number(linkBounds.entries), '`sandbox/too-large`'],
    ['Imports on all paths from these files', number(linkBounds.followed), '`sandbox/too-large`'],
    ['Errors in imports and syntax of Jsonnet', number(linkBounds.faults), '`sandbox/more-problems`'],
    ['Unknown fields of one map', number(mostUnknown), 'not reported'],
    ['References of one document', number(lateLimits.references), '`graph/late-reference`'],
    ['Characters of a text with references', number(lateLimits.written), '`graph/late-value`'],
    ['The same with their values', number(lateLimits.characters), '`graph/late-value`'],
  ],
  'Configuration and stack documents': [
    ['The configuration file, a stack document', bytes(yamlBytes), '`too-large`'],
    ['Problems of a document or a request', number(mostSchemaProblems), 'counted, not listed'],
    ['YAML aliases', number(maximumAliases), '`syntax`'],
    ['Sources of a stack', number(mostSources), 'rejected'],
    ['Sync windows of a stack', number(mostWindows), 'rejected'],
    ['Dependencies of a stack', number(mostDependencies), 'rejected'],
    ['Labels of a stack', number(mostLabels), 'rejected'],
    ['Conditions of a selector', number(mostConditions), 'rejected'],
    ['A file with a secret', bytes(secretFileBytes), 'rejected: it has no value'],
  ],
  API: [
    ['A body, unpacked (`/api/v2/templates/apply`: `limits.templateBytes`)', bytes(bodyLimits.bytes), '413'],
    ['All bodies in progress', bytes(bodyLimits.budgetBytes), '503 with `Retry-After`'],
    ['Depth of lists and maps in a body', number(maximumNesting), '400'],
    ['Values of a body of `/api/v1`', number(maximumValues), '400'],
    ['Values of a body of `/api/v2` without packages', number(wireLimits.values), '400'],
    ['Characters of YAML in it', number(wireLimits.yamlCharacters), '400'],
    ['Entries of a page', number(mostPerPage), '400'],
    ['The head of a request', bytes(maximumHeadBytes), '431'],
    ['Time for the head of a request', seconds(serverLimits.headMs), '408'],
    ['Time for a whole request', seconds(serverLimits.requestMs), '408'],
    ['Connections', number(serverLimits.connections), 'the longest idle one is closed, else 503 with `Retry-After`'],
    ['Unanswered requests on one connection (pipelining)', number(mostPipelined), 'the connection is closed'],
    ['Concurrent requests', number(concurrencyLimits.requests), '503 with `Retry-After`'],
    ['Concurrent requests that wait', number(concurrencyLimits.waiting), '503 with `Retry-After`'],
  ],
  Webhooks: [
    [
      'Deliveries of one client, and to one webhook',
      `${number(receiverLimits.rate.burst)} at once, then ${receiverLimits.rate.perSecond} a second`,
      '429 with `Retry-After`',
    ],
    ['Time for a body', seconds(receiverLimits.bodyMs), '408'],
    ['All bodies in progress', `${receiverLimits.bodies} times \`limits.webhookBytes\``, '503 with `Retry-After`'],
    ['Depth of lists and maps in a body', number(webhookNesting), '422'],
    [
      'Stored deliveries of each webhook',
      `${number(deliveriesKept.count)}, for ${deliveriesKept.days} days`,
      'the oldest are deleted',
    ],
    ['Remembered deliveries of the last day', number(deliveriesKept.ofOneDay), 'the oldest are deleted'],
  ],
  Notifications: [
    ['Receivers of notifications, and of commit statuses', number(mostReceivers), 'the configuration is refused'],
    ['Pending messages of one receiver', number(messagesKept.pending), 'the oldest are dropped, and counted'],
    [
      'Stored messages of each receiver',
      `${number(messagesKept.ended)}, for ${messagesKept.days} days`,
      'the oldest are deleted',
    ],
    ['Transitions stored with one message', number(messagesKept.transitions), 'the message counts the others'],
    [
      'Transitions named in a text, and in the JSON of a webhook',
      `${mostLines}, ${mostInJson}`,
      'it counts the others',
    ],
    ['Time for one attempt', seconds(attemptMs), 'gitmoor retries'],
    ['Retries of a message', `${retriedMs / 3_600_000} h`, 'the message fails, and is kept'],
  ],
  'Command line and log': [
    ['A file with a resource', bytes(resourceFileBytes), 'rejected'],
    ['A file with a plan', bytes(planFileBytes), 'rejected'],
    ['An answer of the agent', bytes(maximumResponseBytes), 'the command fails'],
    ['One field of a log line', `${number(mostFactCharacters)} characters`, 'cut, with …'],
  ],
}

const mostColumns = 120

function table(head: Row, rows: readonly Row[]): string {
  const line = (row: Row): string => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** A list entry: `- NAME: DEFAULT (RANGE). TEXT`, with lines of at most 120 characters. */
function settingEntry([key, schema]: readonly [string, { readonly meta: () => unknown }]): string {
  const { default: standard, least, most, bounds, beyond } = schema.meta() as LimitNote
  return wrapped(`- \`${key}\`: ${standard} (${least} to ${most}). ${bounds} Beyond it: ${beyond}`, '  ')
}

function wrapped(text: string, indent: string): string {
  return text.split(' ').reduce((lines, word) => {
    const column = lines.length - lines.lastIndexOf('\n')
    return `${lines}${column + word.length > mostColumns ? `\n${indent}` : ' '}${word}`
  })
}

export function limitsPage(): string {
  const settings = Object.entries(limitsDocument.shape).map(settingEntry)
  const others = Object.entries(fixed).map(
    ([title, rows]) => `### ${title}\n\n${table(['What', 'Limit', 'Beyond it'], rows)}`,
  )
  return `# Limits

gitmoor limits all input. Input over a limit is rejected entirely: gitmoor applies nothing of it, the applied revision
stays, and other stacks continue. The message names the limit. \`npm run docs:limits\` generates this page from the
configuration schema and the code; a test compares both.

## With a setting

These are keys of \`limits\` in the [configuration file](configuration.md), with their default and range.

${settings.join('\n')}

gitmoor stores on disk what a git server sends, and reads it in pieces: \`packBytes\` costs disk, not memory. A package
costs memory: one at all its limits takes about 600 MiB while gitmoor reads it. \`npm run limits\` measures both.

## Without a setting

${others.join('\n\n')}

\`/api/v1/openapi.json\` contains the limits of fields of requests and stack documents. The numbers of stacks, targets
and credentials have no limit of their own.
`
}

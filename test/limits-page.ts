// docs/limits.md, from the schema of the configuration and from the bounds where they are enforced.
import { mostFactCharacters } from '../src/agent/watch/write-log.js'
import { bodyLimits } from '../src/api/server/bounded-body.js'
import { concurrencyLimits } from '../src/api/server/concurrency-limit.js'
import { maximumNesting, maximumValues } from '../src/api/v1/endpoint.js'
import { receiverLimits } from '../src/api/webhook-receiver.js'
import { mostPerPage } from '../src/api/v1/paging.js'
import { maximumHeadBytes, serverLimits } from '../src/api/server/server.js'
import { maximumResponseBytes } from '../src/cli/client/client.js'
import { maximumPlanFileBytes as planFileBytes } from '../src/cli/files/plan-file.js'
import { maximumResourceFileBytes as resourceFileBytes } from '../src/cli/verbs/resource/resource-file.js'
import { limitsDocument, type LimitNote } from '../src/config/limits.js'
import { mostUnknown } from '../src/kinds/influxdb/fields/fields.js'
import { mostProblems } from '../src/model/problem.js'
import { mostShown } from '../src/lib/printable.js'
import { ignoreFile } from '../src/package/package-files.js'
import { packageLimits } from '../src/package/package.js'
import { mostCharacters, mostPatterns } from '../src/package/package-files.js'
import { mostKeyCharacters } from '../src/package/parse-error.js'
import { linkBounds } from '../src/sandbox/jsonnet/jsonnet-units.js'
import { mostSecretFileBytes as secretFileBytes } from '../src/secrets/resolve-value.js'
import { mostWindows } from '../src/settings/schedule-document.js'
import { mostDependencies } from '../src/settings/setting-forms.js'
import { mostSources } from '../src/settings/source-document.js'
import { mostSchemaProblems } from '../src/settings/strict-object.js'
import { maximumAliases, maximumBytes as yamlBytes } from '../src/settings/read-yaml.js'
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
import { deliveriesKept } from '../src/store/sqlite/sqlite-deliveries.js'
import { maximumNesting as webhookNesting } from '../src/stacks/webhooks/payload.js'
import { REDIRECTS as urlRedirects } from '../src/source/url/url-source.js'

type Row = readonly string[]

const number = (value: number): string => value.toLocaleString('en')
const bytes = (value: number): string =>
  value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : value % 1024 === 0 ? `${value / 1024} KiB` : `${value} B`
const seconds = (ms: number): string => (ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${ms / 1000} s`)

/** What, how much, what happens beyond it. */
const fixed: Readonly<Record<string, readonly Row[]>> = {
  Sources: [
    ['Redirects of a git server, within its host', number(mostRedirects), '`source/redirected`: refused'],
    ['The same, to another host, scheme or port', '0', '`source/redirected`: refused, and the place is named'],
    ['Redirects of a source that is a URL', number(urlRedirects), '`source/redirected`: refused'],
    ['`Retry-After`', seconds(mostRetryAfterMs), 'What is longer counts as that'],
    ['Connections to one server', number(mostConnections), 'Requests wait'],
    [
      'Answers of 1xx before the answer to a request',
      number(mostInterim),
      '`source/unreachable`: the connection is closed',
    ],
    [
      'A file of certificates, or of their key',
      bytes(certificateFileBytes),
      '`source/connection-files`: nothing is connected',
    ],
    ['What an app of GitHub is answered', bytes(answerBytes), '`source/server-error`: there is no token'],
    [
      'What a pack unpacks to',
      `${packLimits.unpackedPerPacked} times \`packBytes\``,
      '`source/pack-too-large`: refused',
    ],
    [
      'What an archive unpacks to',
      `${mostRatio} times its size, and ${packLimits.unpackedPerPacked} times \`packBytes\``,
      '`source/archive-too-large`: nothing more is unpacked',
    ],
    ['Bytes of a path in an archive', number(mostPathBytes), '`source/unsafe-archive`: refused'],
    ['Objects of a pack', number(packLimits.objects), '`source/pack-too-large`: refused'],
    ['Differences upon differences in a pack', number(packLimits.deltaDepth), '`source/pack-too-large`: refused'],
    ['A file that is kept as a difference', bytes(packLimits.deltaBytes), '`source/pack-too-large`: refused'],
    ['A commit, a tag', bytes(packLimits.authoredBytes), '`source/pack-too-large`: refused'],
    ['Names and ids of one folder', bytes(packLimits.treeBytes), '`source/pack-too-large`: refused'],
    [
      'Progress messages, empty packets and heads of packets in an answer',
      `${bytes(packLimits.overheadBytes)}, and 1/${1 / packLimits.overheadPerPacked} of the pack`,
      '`source/pack-too-large`: nothing more is read',
    ],
    ['Packs that are kept of a repository', number(mostPacks), 'One whole pack takes their place'],
    ['Bytes of a name', number(mostNameBytes), '`source/unsafe-tree`: refused'],
    ['Entries that are walked past for each file', number(walkedPerFile), '`source/too-many-files`: refused'],
    ['What a server says, in a message', `${number(mostShown)} characters`, 'Cut, with …'],
  ],
  Packages: [
    ['Lists and maps in each other', number(packageLimits.depth), '`package/depth`: the file is refused'],
    ['Values of one file', number(packageLimits.values), '`package/too-large`: the file is refused'],
    ['Values of all files', number(packageLimits.totalValues), '`package/too-large`: nothing more is read'],
    ['Values of one document', number(packageLimits.documentValues), '`package/too-large`: the document is refused'],
    ['YAML aliases in a file', number(packageLimits.aliases), '`package/alias`: the file is refused'],
    ['Values that they stand for', number(packageLimits.aliasNodes), '`package/alias`: the file is refused'],
    ['Characters of a key', number(mostKeyCharacters), '`package/key-length`: the file is refused'],
    [`Lines of a \`${ignoreFile}\``, number(mostPatterns), '`package/ignore-pattern`: refused'],
    ['Characters of such a line', number(mostCharacters), '`package/ignore-pattern`: refused'],
    ['Problems of a package, and of an answer', number(mostProblems), 'Counted, not listed; errors go before warnings'],
    [
      'Characters of Jsonnet and of what it imports',
      number(linkBounds.characters),
      '`sandbox/too-large`: nothing is evaluated',
    ],
    ['Imports in it', number(linkBounds.imports), '`sandbox/too-large`: nothing is evaluated'],
    ['Files of it that are evaluated', number(linkBounds.entries), '`sandbox/too-large`: nothing is evaluated'],
    [
      'Imports on the ways from each of these to what it needs',
      number(linkBounds.followed),
      '`sandbox/too-large`: nothing is evaluated',
    ],
    ['Faults of its imports and its syntax', number(linkBounds.faults), '`sandbox/more-faults`: nothing more is read'],
    ['Unknown fields of one map', number(mostUnknown), 'Not remarked upon'],
  ],
  'Configuration and documents of stacks': [
    ['The file, and a document of `-f`', bytes(yamlBytes), '`too-large`: refused'],
    ['Problems of it, and of a request', number(mostSchemaProblems), 'Counted, not listed'],
    ['Aliases in it', number(maximumAliases), '`syntax`: refused'],
    ['Sources of a stack', number(mostSources), 'Refused'],
    ['Sync windows of a stack', number(mostWindows), 'Refused'],
    ['Stacks that a stack depends on', number(mostDependencies), 'Refused'],
    ['A file that holds a secret', bytes(secretFileBytes), 'It has no value: refused'],
  ],
  API: [
    ['A body, unpacked; below `/api/v2` see `limits.templateBytes`', bytes(bodyLimits.bytes), '413'],
    ['All bodies that are being read', bytes(bodyLimits.budgetBytes), '503 with `Retry-After`'],
    ['Lists and maps in each other, of a body', number(maximumNesting), '400'],
    ['Values of a body below `/api/v1`', number(maximumValues), '400'],
    ['Entries of a page', number(mostPerPage), '400'],
    ['The head of a request', bytes(maximumHeadBytes), '431'],
    [
      'Time for the head, for all of a request',
      `${seconds(serverLimits.headMs)}, ${seconds(serverLimits.requestMs)}`,
      '408',
    ],
    [
      'Connections',
      number(serverLimits.connections),
      'The one that has been without a request for longest is closed; if each has one in progress: 503 with `Retry-After`, but for health checks',
    ],
    [
      'Requests in hand, and of those that wait',
      `${number(concurrencyLimits.requests)}, ${number(concurrencyLimits.waiting)}`,
      '503 with `Retry-After`',
    ],
  ],
  Webhooks: [
    [
      'Deliveries of one client, and to one webhook',
      `${number(receiverLimits.rate.burst)} at once, then ${receiverLimits.rate.perSecond} a second`,
      '429 with `Retry-After`',
    ],
    ['Time for a body', seconds(receiverLimits.bodyMs), '408'],
    [
      'All bodies that are being read',
      `${receiverLimits.bodies} times \`limits.webhookBytes\``,
      '503 with `Retry-After`',
    ],
    ['Lists and maps in each other, of a body', number(webhookNesting), '422'],
    [
      'Deliveries that are kept, of each',
      `${number(deliveriesKept.count)}, for ${deliveriesKept.days} days`,
      'The oldest are forgotten',
    ],
    [
      'The same, of the last day, so that none counts twice',
      number(deliveriesKept.ofOneDay),
      'The oldest are forgotten',
    ],
  ],
  'Command line and log': [
    ['A file that holds a resource', bytes(resourceFileBytes), 'Refused'],
    ['A file that holds a plan', bytes(planFileBytes), 'Refused'],
    ['An answer of the agent', bytes(maximumResponseBytes), 'Given up'],
    ['One fact of a line of the log', `${number(mostFactCharacters)} characters`, 'Cut, with …'],
  ],
}

function table(head: Row, rows: readonly Row[]): string {
  const line = (row: Row): string => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function settingRow([key, schema]: readonly [string, { readonly meta: () => unknown }]): Row {
  const { default: standard, least, most, bounds, beyond } = schema.meta() as LimitNote
  return [`\`${key}\``, standard, `${least} to ${most}`, bounds, beyond]
}

export function limitsPage(): string {
  const settings = table(
    ['Setting', 'Default', 'Range', 'Bounds', 'Beyond it'],
    Object.entries(limitsDocument.shape).map(settingRow),
  )
  const others = Object.entries(fixed).map(
    ([title, rows]) => `### ${title}\n\n${table(['What', 'At most', 'Beyond it'], rows)}`,
  )
  return `# Limits

Whatever comes from outside is bounded. What is beyond a limit is refused whole: nothing of it is applied, what was applied stays, and other stacks go on. The message
names the limit. This page is made from the schema of the configuration and from the code that holds the bounds (\`npm run docs:limits\`); a test fails where it is not.

## With a setting

Below \`limits\` in the configuration file.

${settings}

What a git server sends is kept on the disk and read in pieces: \`packBytes\` costs disk, not memory. What takes memory is the package itself: one at all its limits
takes about 600 MiB while it is read. \`npm run limits\` measures both.

## Without a setting

${others.join('\n\n')}

What fields of requests and of stacks' documents may hold is in \`/api/v1/openapi.json\`. The numbers of stacks, targets and credentials have no bound of their own.
`
}

// The configuration as the agent read it: each value with its line; secrets as names.
import type { ConfigurationPage, ConfigurationValueView } from '../../../src/views/configuration.js'
import { useRead } from '../../data/read.js'
import { go, query, withQuery } from '../../lib/route.js'
import { counted, shellWord } from '../../lib/text.js'
import { Clis, Empty, Fact, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { useMorePages } from '../../parts/more-pages.js'
import { Loaded } from '../../parts/section.js'

const firstPage = 'configuration?limit=500'

export function Configuration() {
  const read = useRead<ConfigurationPage>(firstPage, ({ reset }) => reset)
  return (
    <Loaded read={read} rows={6} what="the configuration">
      {(page) => (
        <>
          <Status configuration={page.configuration} />
          <Values first={page} file={page.configuration.file} />
        </>
      )}
    </Loaded>
  )
}

function Status({ configuration }: Pick<ConfigurationPage, 'configuration'>) {
  const { file, loadedAt, refused, needsRestart, refusedStacks } = configuration
  const problems = [...(refused?.problems ?? []), ...refusedStacks]
  return (
    <>
      {refused !== null && (
        <div class="call s-failed">
          <Icon name="failed" size={18} />
          <div>
            The last reload was refused <Time at={refused.at} />. The former configuration is in use.
          </div>
        </div>
      )}
      <dl class="facts-list">
        <Fact name="File">{file === null ? 'none: all defaults' : <code>{file}</code>}</Fact>
        <Fact name="Read">
          <Time at={loadedAt} />
        </Fact>
        <Fact name="Needs a restart">{needsRestart.length === 0 ? 'nothing' : needsRestart.join(', ')}</Fact>
      </dl>
      {problems.length > 0 && (
        <ul class="problems box">
          {problems.map(({ message: text, place, hint }) => (
            <li key={text} class="s-failed">
              {place !== undefined && (
                <code class="place">
                  {place.file}:{place.line}
                </code>
              )}{' '}
              {text}
              {hint !== undefined && <p class="dim">{hint}</p>}
            </li>
          ))}
        </ul>
      )}
      <Clis of={['gitmoor config show', ...(file === null ? [] : [`gitmoor config check ${shellWord(file)}`])]} />
    </>
  )
}

const textOf = ({ value }: ConfigurationValueView): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

function sectionOf(path: string): string {
  return /^[^.[]+/.exec(path)?.[0] ?? ''
}

/** The sections that the file has, open; the others have only defaults. */
function Values({ first, file }: { readonly first: ConfigurationPage; readonly file: string | null }) {
  const words = (query.value.get('q') ?? '').toLowerCase()
  const { items, button } = useMorePages(first, firstPage)
  const found = items.filter((one) => `${one.path} ${textOf(one)}`.toLowerCase().includes(words))
  const sections = new Map<string, ConfigurationValueView[]>()
  for (const value of found) {
    const name = sectionOf(value.path)
    const before = sections.get(name)
    if (before === undefined) sections.set(name, [value])
    else before.push(value)
  }
  return (
    <>
      <label class="value-filter">
        <span class="hidden-text">Filter values</span>
        <input
          class="field"
          type="search"
          placeholder="Filter: limits, env:TOKEN, …"
          value={words}
          onInput={(event) => go(withQuery({ q: event.currentTarget.value }), { replace: true })}
        />
      </label>
      {found.length === 0 && <Empty>No matching values.</Empty>}
      <div class="value-sections box">
        {[...sections].map(([name, values]) => (
          <Section key={name} name={name} values={values} file={file} isOpen={words !== ''} />
        ))}
      </div>
      {button}
    </>
  )
}

/** A section with more values is closed at first. */
const mostOpen = 40

interface SectionProps {
  readonly name: string
  readonly values: readonly ConfigurationValueView[]
  readonly file: string | null
  readonly isOpen: boolean
}

function Section({ name, values, file, isOpen }: SectionProps) {
  const written = values.filter(({ source }) => source !== 'default').length
  return (
    <details open={isOpen || (written > 0 && values.length <= mostOpen)}>
      <summary>
        <b>{name}</b> <span class="dim">{written > 0 ? counted(written, 'value') : 'defaults'}</span>
      </summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Values of ${name}`}>
        <table class="list value-table">
          <thead>
            <tr>
              <th>Key</th>
              <th>Value</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {values.map((value) => (
              <Row key={value.path} value={value} file={file} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

const sources = { default: 'default', option: 'command line', file: 'file' } as const

function Row({ value, file }: { readonly value: ConfigurationValueView; readonly file: string | null }) {
  const { path, secret, source, line } = value
  const text = textOf(value)
  return (
    <tr class={source === 'default' ? 'dim' : ''}>
      <td>
        <code>{path}</code>
      </td>
      <td>{secret === true ? <span class="chip">{text}</span> : <code>{text === '' ? '""' : text}</code>}</td>
      <td class="once">
        {line === null ? (
          sources[source]
        ) : (
          <code title={file ?? ''}>
            {file?.split('/').at(-1)}:{line}
          </code>
        )}
      </td>
    </tr>
  )
}

// Every table as CSV and JSON, with the filters of the address, read page by page.
import { useState } from 'preact/hooks'
import { message } from '../actions.js'
import { call } from '../data/call.js'
import type { Page } from '../data/types.js'
import { Icon } from './icon.js'

interface ExportProps<T> {
  /** Of the API, without paging. */
  readonly path: string
  /** Of the file, without its extension. */
  readonly name: string
  readonly columns: Readonly<Record<string, (row: T) => string>>
}

const mostRows = 50_000

export function Export<T>({ path, name, columns }: ExportProps<T>) {
  const [isBusy, setBusy] = useState(false)
  const save = async (type: 'csv' | 'json'): Promise<void> => {
    setBusy(true)
    try {
      const rows = await everyPage<T>(path)
      const text = type === 'json' ? JSON.stringify(rows, undefined, 2) : csvOf(rows, columns)
      download(`${name}.${type}`, text, type === 'json' ? 'application/json' : 'text/csv')
    } catch (error) {
      message.value = { text: `Not exported: ${(error as Error).message}` }
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {(['csv', 'json'] as const).map((type) => (
        <button
          key={type}
          type="button"
          class="btn"
          disabled={isBusy}
          aria-busy={isBusy}
          aria-label={`Export as ${type.toUpperCase()}`}
          onClick={() => void save(type)}
        >
          <Icon name="download" />
          {type.toUpperCase()}
        </button>
      ))}
    </>
  )
}

async function everyPage<T>(path: string): Promise<readonly T[]> {
  const rows: T[] = []
  const joint = path.includes('?') ? '&' : '?'
  let after: string | null = ''
  while (after !== null && rows.length < mostRows) {
    const cursor: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const page: Page<T> = await call<Page<T>>('GET', `${path}${joint}limit=500${cursor}`)
    rows.push(...page.items)
    after = page.next
  }
  return rows
}

function csvOf<T>(rows: readonly T[], columns: ExportProps<T>['columns']): string {
  const lines = rows.map((row) => Object.values(columns).map((value) => csvCell(value(row))))
  return [Object.keys(columns), ...lines].map((cells) => cells.join(',')).join('\r\n')
}

/** Spreadsheets take a cell that begins with = + - @ for a formula, so it begins with a quote. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

// Placeholders of a webhook body: `${title}`. They are replaced, never evaluated; the type of the body decides how
// their values are escaped. Pure.
import type { TemplateType } from './receiver.js'

/** A problem of a template, as words that follow its name; undefined: it is valid. */
export function templateProblem(template: string, type: TemplateType, names: readonly string[]): string | undefined {
  const unknown = placeholders(template).find((name) => !names.includes(name))
  if (unknown !== undefined)
    return `has the placeholder $\{${unknown}}, which does not exist. Placeholders: ${names.join(', ')}.`
  if (type !== 'application/json') return undefined
  const values = Object.fromEntries(names.map((name) => [name, 'a "sample"\nof a value']))
  return isJson(fillTemplate(template, type, { ...values, count: '2', transitions: '[]' }))
    ? undefined
    : 'is not valid JSON once its placeholders are replaced. Write all but ${count} and ${transitions} inside strings: "text": "${title}".'
}

/** `transitions` is JSON already. */
export function fillTemplate(template: string, type: TemplateType, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(placeholder, (_, name: string) => {
    const value = values[name] ?? ''
    if (type === 'text/plain') return value
    if (type === 'application/x-www-form-urlencoded') return encodeURIComponent(value)
    return name === 'transitions' ? value : JSON.stringify(value).slice(1, -1)
  })
}

const placeholder = /\$\{([^}]*)\}/g

function placeholders(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map(([, name = '']) => name)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

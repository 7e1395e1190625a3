// The colors of a chart.
import { isObject, type Json } from '../../../model/json.js'
import { list, listEntries, mapEntries, name, number, readShape, text, type ChartField } from './chart-field.js'
import type { ChartContext } from './chart-queries.js'
import type { Fields } from '../fields/fields.js'

const color = { id: text(), name: name(), type: text(), hex: text(), value: number() }

/** Colors: each needs a hex, and each needed type must be present. */
export function colors(neededTypes: readonly string[] = []): ChartField {
  const read = (chart: Fields, key: string, at: ChartContext): Json => {
    const found = readColors(chart, key, at)
    for (const type of neededTypes) {
      const message = `there is no color of type ${type}`
      if (!found.some((one) => one['type'] === type))
        chart.error(key, 'required', message, `Add a color with \`type: ${type}\`.`)
    }
    return found
  }
  return { ...list(color), read }
}

/** Colors of which a view stores only the hex. */
export function hexes(): ChartField {
  return {
    ...list({ hex: text() }),
    read: (chart, key, at) => readColors(chart, key, at).map(({ hex }) => ({ hex: hex! })),
    view: (value, key) => ({ [key]: listEntries(value).map(colorHex) }),
    fromView: (view, key) => mapEntries(view[key], (hex) => ({ hex })),
  }
}

/** Colors of a layer, which are not checked. */
export function layerColors(): ChartField {
  return list(color, 'colors')
}

function readColors(chart: Fields, key: string, at: ChartContext): readonly Readonly<Record<string, Json>>[] {
  return chart.each(key).map((entry) => {
    const found = readShape(entry, color, at)
    if (found['hex'] === '') entry.error('hex', 'required', 'a color has no hex', 'Write one, such as "#8F8AF4".')
    return found
  })
}

function colorHex(one: Json): string {
  const hex = isObject(one) ? one['hex'] : undefined
  return typeof hex === 'string' ? hex : ''
}

// JSON Schemas of files for editors, from the schemas that check the files.
import { z } from 'zod'

/** Draft 7, which all editors know. Rules that it cannot express are left out. */
export function jsonSchema(schema: z.ZodType, title: string): object {
  const options = { target: 'draft-7', io: 'input', unrepresentable: 'any', override: acceptShortForms } as const
  return { title, ...z.toJSONSchema(schema, options) }
}

/** A preprocessed value may also be written in a short form: a text or a number. */
const acceptShortForms: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'transform') return
  const whole = { ...jsonSchema }
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
  jsonSchema.anyOf = [whole, { type: ['string', 'number'] }]
}

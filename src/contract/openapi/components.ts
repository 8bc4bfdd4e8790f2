/** Collects named schemas, so that each appears in the document once. */
import { type JsonSchema, type JsonSchemaOptions, toJsonSchema } from '../schema/json-schema.ts';
import type { AnySchema } from '../schema/builder.ts';

export interface Components {
  /** The schema of data that clients send. */
  input(schema: AnySchema): JsonSchema;
  /** The schema of data that the service sends. */
  output(schema: AnySchema): JsonSchema;
  /** All referenced schemas by name, in alphabetical order. */
  schemas(): Record<string, JsonSchema>;
}

/** Creates an empty collection. Its functions throw if two different schemas have the same name. */
export function collectSchemas(dialect: JsonSchemaOptions['dialect']): Components {
  const found = new Map<string, JsonSchema>();
  const compile = (side: JsonSchemaOptions['side']) => {
    const refer = (name: string, schema: AnySchema): string => {
      const { name: _, ...own } = schema;
      const json = toJsonSchema(own, { dialect, side, refer, portable: true });
      const known = found.get(name);
      if (known && JSON.stringify(known) !== JSON.stringify(json)) throw new Error(`Two different schemas are named ${name}`);
      found.set(name, json);
      return `#/components/schemas/${name}`;
    };
    return (schema: AnySchema) => toJsonSchema(schema, { dialect, side, refer, portable: true });
  };
  return {
    input: compile('input'),
    output: compile('output'),
    schemas: () => Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

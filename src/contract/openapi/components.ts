/** Collects the schemas that have a name, so that each stands in the document once. */
import { type JsonSchema, type JsonSchemaOptions, toJsonSchema } from '../json-schema.ts';
import type { AnySchema } from '../schema.ts';

export interface Components {
  /** What a caller sends. */
  input(schema: AnySchema): JsonSchema;
  /** What we send. */
  output(schema: AnySchema): JsonSchema;
  /** Everything that was referred to, by name in alphabetical order. */
  schemas(): Record<string, JsonSchema>;
}

export function collectSchemas(dialect: JsonSchemaOptions['dialect']): Components {
  const found = new Map<string, JsonSchema>();
  const compile = (side: JsonSchemaOptions['side']) => {
    const refer = (name: string, schema: AnySchema): string => {
      const { name: _, ...own } = schema;
      const json = toJsonSchema(own, { dialect, side, refer });
      const known = found.get(name);
      if (known && JSON.stringify(known) !== JSON.stringify(json)) throw new Error(`two different schemas are called ${name}`);
      found.set(name, json);
      return `#/components/schemas/${name}`;
    };
    return (schema: AnySchema) => toJsonSchema(schema, { dialect, side, refer });
  };
  return {
    input: compile('input'),
    output: compile('output'),
    schemas: () => Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

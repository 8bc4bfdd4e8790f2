/** Contract schemas as JSON Schema: draft 2020-12 for tools, the OpenAPI 3.0.3 dialect for the published document. */
import type { AnySchema, NumberSpec, ObjectSpec } from './schema.ts';

export type JsonSchema = { [key: string]: unknown };

export interface JsonSchemaOptions {
  readonly dialect: 'draft-2020-12' | 'openapi-3.0';
  /** `input`: what a caller may send, fields with a default are optional. `output`: what we send, they are always there. */
  readonly side: 'input' | 'output';
  /** Refuse unknown fields on the output side too. Off in published documents: a later version may add a field. */
  readonly closed?: boolean;
  /** Called for a schema with a component name; returns the reference to use instead of the schema itself. */
  readonly refer?: (name: string, schema: AnySchema) => string;
}

/** The JSON Schema of a contract schema. */
export function toJsonSchema(schema: AnySchema, options: JsonSchemaOptions): JsonSchema {
  if (schema.name !== undefined && options.refer) {
    const reference = referTo(schema, schema.name, options.refer, options);
    if (reference) return reference;
  }
  const result = body(schema, options);
  if (schema.description !== undefined) result['description'] = schema.description;
  if (schema.default !== undefined) result['default'] = schema.default;
  if (schema.extension) result['x-extension'] = true;
  if (schema.example !== undefined) {
    if (options.dialect === 'openapi-3.0') result['example'] = schema.example;
    else result['examples'] = [schema.example];
  }
  return schema.nullable ? nullable(result, options) : result;
}

/** What stands for a schema with a component name; its description and marks belong to the place, not to the component. */
function referTo(
  schema: AnySchema,
  name: string,
  refer: NonNullable<JsonSchemaOptions['refer']>,
  { dialect }: JsonSchemaOptions,
): JsonSchema | undefined {
  const { nullable: mayBeNull, optional: _o, default: _d, description, extension, ...bare } = schema;
  // OpenAPI 3.0 has no type "null", and `nullable` holds only beside the `type` itself: the schema is written out.
  if (mayBeNull && dialect === 'openapi-3.0') return undefined;
  const reference = { $ref: refer(name, bare) };
  const beside = defined({ description, 'x-extension': extension });
  if (mayBeNull) return { ...beside, anyOf: [reference, { type: 'null' }] };
  // Nor may anything stand beside a $ref there.
  return Object.keys(beside).length > 0 && dialect === 'openapi-3.0' ? { ...beside, allOf: [reference] } : { ...reference, ...beside };
}

function nullable(schema: JsonSchema, options: JsonSchemaOptions): JsonSchema {
  const values = schema['enum'];
  const withNull = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  if (options.dialect === 'openapi-3.0') return { ...schema, ...withNull, nullable: true };
  return 'type' in schema ? { ...schema, ...withNull, type: [schema['type'], 'null'] } : schema;
}

function body(schema: AnySchema, options: JsonSchemaOptions): JsonSchema {
  switch (schema.kind) {
    case 'string':
      return defined({ type: 'string', format: schema.format, pattern: schema.pattern, minLength: schema.min, maxLength: schema.max });
    case 'number':
      return number(schema, options);
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: [...schema.values] };
    case 'array':
      return defined({
        type: 'array',
        items: toJsonSchema(schema.items, options),
        minItems: schema.min,
        maxItems: schema.max,
        uniqueItems: schema.unique,
      });
    case 'object':
      return object(schema, options);
    case 'map':
      return { type: 'object', additionalProperties: toJsonSchema(schema.values, options) };
    case 'json':
      return {};
  }
}

function number(schema: NumberSpec, { dialect }: JsonSchemaOptions): JsonSchema {
  const type = schema.integer ? 'integer' : 'number';
  const { min, max, above, below } = schema;
  if (dialect === 'draft-2020-12') return defined({ type, minimum: min, maximum: max, exclusiveMinimum: above, exclusiveMaximum: below });
  return defined({
    type,
    minimum: above ?? min,
    exclusiveMinimum: above === undefined ? undefined : true,
    maximum: below ?? max,
    exclusiveMaximum: below === undefined ? undefined : true,
  });
}

function object(schema: ObjectSpec, options: JsonSchemaOptions): JsonSchema {
  const entries = Object.entries(schema.properties);
  const required = entries
    .filter(([, field]) => !field.optional || (options.side === 'output' && field.default !== undefined))
    .map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, toJsonSchema(field, options)])),
    ...(required.length > 0 ? { required } : {}),
    ...(options.side === 'input' || options.closed ? { additionalProperties: false } : {}),
  };
}

function defined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

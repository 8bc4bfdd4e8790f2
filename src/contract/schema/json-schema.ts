/** Converts contract schemas to JSON Schema: draft 2020-12 for tools, the OpenAPI 3.0.3 dialect for the published document. */
import type { AnySchema, NumberSpec, ObjectSpec } from './builder.ts';
import { ONE_LINE } from './text.ts';

export type JsonSchema = { [key: string]: unknown };

export interface JsonSchemaOptions {
  readonly dialect: 'draft-2020-12' | 'openapi-3.0';
  /** `input`: sent by clients, fields with a default are optional. `output`: sent by the service, those fields are always present. */
  readonly side: 'input' | 'output';
  /** Disallow unknown fields in output too. Not used in published documents, because a later version may add fields. */
  readonly closed?: boolean;
  /**
   * For generators and other programs that support less than the dialect: no patterns with escapes that RE2 and PCRE lack, no null among the
   * values of enums, one type per schema.
   */
  readonly portable?: boolean;
  /** Called for a schema with a component name. Returns the `$ref` to use instead of the schema. */
  readonly refer?: (name: string, schema: AnySchema) => string;
}

/** Converts a contract schema. */
export function toJsonSchema(schema: AnySchema, options: JsonSchemaOptions): JsonSchema {
  if (schema.name !== undefined && options.refer) {
    const reference = toReference(schema, schema.name, options.refer, options);
    if (reference) return reference;
  }
  const result = toBaseSchema(schema, options);
  if (schema.description !== undefined) result['description'] = schema.description;
  if (schema.default !== undefined) result['default'] = schema.default;
  if (schema.extension) result['x-extension'] = true;
  if (schema.example !== undefined) {
    if (options.dialect === 'openapi-3.0') result['example'] = schema.example;
    else result['examples'] = [schema.example];
  }
  return schema.nullable ? toNullable(result, options) : result;
}

/** Converts a named schema to a reference. Its description and extension mark belong to the reference, not to the component. */
function toReference(
  schema: AnySchema,
  name: string,
  refer: NonNullable<JsonSchemaOptions['refer']>,
  { dialect }: JsonSchemaOptions,
): JsonSchema | undefined {
  const { nullable: isNullable, optional: _o, default: _d, description, extension, ...bare } = schema;
  // OpenAPI 3.0 has no type "null", and `nullable` must be in the same schema as `type`: the schema is inlined.
  if (isNullable && dialect === 'openapi-3.0') return undefined;
  const reference = { $ref: refer(name, bare) };
  const annotations = omitUndefined({ description, 'x-extension': extension });
  if (isNullable) return { ...annotations, anyOf: [reference, { type: 'null' }] };
  // OpenAPI 3.0 ignores siblings of $ref, hence allOf.
  return Object.keys(annotations).length > 0 && dialect === 'openapi-3.0'
    ? { ...annotations, allOf: [reference] }
    : { ...reference, ...annotations };
}

function toNullable(schema: JsonSchema, options: JsonSchemaOptions): JsonSchema {
  const values = schema['enum'];
  const withNull = Array.isArray(values) && !options.portable ? { enum: [...(values as unknown[]), null] } : {};
  if (options.dialect === 'openapi-3.0') return { ...schema, ...withNull, nullable: true };
  if (!('type' in schema)) return schema;
  if (!options.portable) return { ...schema, ...withNull, type: [schema['type'], 'null'] };
  const { description, default: preset, examples, 'x-extension': extension, ...bare } = schema;
  return omitUndefined({ description, default: preset, examples, 'x-extension': extension, anyOf: [bare, { type: 'null' }] });
}

/** Whether ECMAScript, PCRE and RE2 all read a pattern. */
export const isPortablePattern = (pattern: string): boolean => !pattern.includes(String.raw`\u`);

function toBaseSchema(schema: AnySchema, options: JsonSchemaOptions): JsonSchema {
  switch (schema.kind) {
    case 'string':
      return omitUndefined({
        type: 'string',
        format: schema.format,
        pattern: schema.pattern !== undefined && options.portable && !isPortablePattern(schema.pattern) ? undefined : schema.pattern,
        minLength: schema.min,
        maxLength: schema.max,
      });
    case 'number':
      return toNumberSchema(schema, options);
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: [...schema.values] };
    case 'array':
      return omitUndefined({
        type: 'array',
        items: toJsonSchema(schema.items, options),
        minItems: schema.min,
        maxItems: schema.max,
        uniqueItems: schema.unique,
      });
    case 'object':
      return toObjectSchema(schema, options);
    case 'map':
      return omitUndefined({
        type: 'object',
        additionalProperties: toJsonSchema(schema.values, options),
        maxProperties: schema.maxKeys,
        // OpenAPI 3.0 cannot limit names.
        propertyNames:
          schema.maxKeyChars === undefined || options.dialect === 'openapi-3.0'
            ? undefined
            : { minLength: 1, maxLength: schema.maxKeyChars, pattern: ONE_LINE },
      });
    case 'json':
      return {};
  }
}

function toNumberSchema(schema: NumberSpec, { dialect }: JsonSchemaOptions): JsonSchema {
  const type = schema.integer ? 'integer' : 'number';
  const { min, max, above, below } = schema;
  if (dialect === 'draft-2020-12')
    return omitUndefined({ type, minimum: min, maximum: max, exclusiveMinimum: above, exclusiveMaximum: below });
  return omitUndefined({
    type,
    minimum: above ?? min,
    exclusiveMinimum: above === undefined ? undefined : true,
    maximum: below ?? max,
    exclusiveMaximum: below === undefined ? undefined : true,
  });
}

function toObjectSchema(schema: ObjectSpec, options: JsonSchemaOptions): JsonSchema {
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

function omitUndefined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

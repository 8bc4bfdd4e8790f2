/** The given contract without the extensions, derived from their marks: operations, parameters, fields and values of enumerations. A-8. */
import type { ChangeEvent } from './change-events.ts';
import { getEventDataSchema } from './event-data.ts';
import type { ErrorCode } from './errors.ts';
import { OPERATIONS } from './index.ts';
import type { Tool } from './mcp-tools.ts';
import type { Operation } from './operation.ts';
import type {
  AnySchema,
  ArraySchema,
  CsvSchema,
  EnumSpec,
  Flags,
  GivenFields,
  GivenValues,
  ObjectSchema,
  ObjectSpec,
  Schema,
  Shape,
} from './schema/builder.ts';
import { parsePointer } from './schema/json-pointer.ts';

/**
 * The type of `toStrictSchema`. Tuples, because the schema of a nullable field is a union of all kinds, which stays as it is: none of them
 * has extensions inside, which a test checks.
 */
export type Strict<S> = [GivenValues<S>] extends [never]
  ? [S] extends [{ readonly kind: 'object'; readonly properties: infer P extends Shape }]
    ? ObjectSchema<{ readonly [K in GivenFields<P>]: StrictPart<P[K]> }> & Flags<S>
    : [S] extends [CsvSchema<infer Items>]
      ? CsvSchema<StrictPart<Items>> & Flags<S>
      : [S] extends [ArraySchema<infer Items>]
        ? ArraySchema<StrictPart<Items>> & Flags<S>
        : S
  : Schema<GivenValues<S>> & EnumSpec & Flags<S>;
type StrictPart<S> = Strict<S> extends infer R extends AnySchema ? R : never;

/** The operations without extensions, as a type. */
export type StrictOperation<O extends Operation> = O extends { readonly extension: true }
  ? never
  : { readonly [K in keyof O]: K extends 'query' | 'body' | 'result' ? Strict<O[K]> : O[K] };

const schemas = new WeakMap<AnySchema, AnySchema>();

/** The schema without what is marked in it; the schema itself if nothing is. */
export function toStrictSchema<S extends AnySchema>(schema: S): S {
  const known = schemas.get(schema);
  const strict = known ?? withoutExtensions(schema);
  if (known === undefined) schemas.set(schema, strict);
  // It has the kind of the schema.
  return strict as S;
}

function withoutExtensions(schema: AnySchema): AnySchema {
  switch (schema.kind) {
    case 'object': {
      const entries = Object.entries(schema.properties);
      const kept = entries.flatMap(([name, field]) => (field.extension ? [] : [[name, toStrictSchema(field)] as const]));
      const isSame = kept.length === entries.length && kept.every(([name, field]) => field === schema.properties[name]);
      return isSame ? schema : { ...schema, properties: Object.fromEntries(kept) };
    }
    case 'array': {
      const items = toStrictSchema(schema.items);
      return items === schema.items ? schema : { ...schema, items };
    }
    case 'map': {
      const values = toStrictSchema(schema.values);
      return values === schema.values ? schema : { ...schema, values };
    }
    case 'enum': {
      const { extensionValues = [], ...rest } = schema;
      return extensionValues.length === 0 ? schema : { ...rest, values: schema.values.filter((value) => !extensionValues.includes(value)) };
    }
    default:
      return schema;
  }
}

/** The value without the fields that are marked in its schema. */
export function stripExtensions(schema: AnySchema, value: unknown): unknown {
  if (value === null || value === undefined || toStrictSchema(schema) === schema) return value;
  if (schema.kind === 'array' && Array.isArray(value)) return value.map((each) => stripExtensions(schema.items, each));
  if (schema.kind !== 'object' || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const own = schema.properties[name];
      return own?.extension ? [] : [[name, own === undefined ? field : stripExtensions(own, field)]];
    }),
  );
}

/** Of the header If-Match, and of cursors. */
const EXTENSION_ERRORS: ReadonlySet<ErrorCode> = new Set(['PRECONDITION_FAILED', 'CURSOR_EXPIRED']);

function toStrictOperation(op: Operation): Operation {
  const { params, query, body, result, errors } = op;
  return {
    ...op,
    extended: op,
    ...(params && { params: toStrictSchema(params) }),
    ...(query && { query: toStrictSchema(query) }),
    ...(body && { body: toStrictSchema(body) }),
    result: result && toStrictSchema(result),
    ...(errors && { errors: errors.filter((code) => !EXTENSION_ERRORS.has(code)) }),
  };
}

/** The operations of the given contract. */
export const listStrictOperations = (): readonly Operation[] =>
  (strictOperations ??= all.filter((op) => !op.extension).map(toStrictOperation));
const all: readonly Operation[] = OPERATIONS;
let strictOperations: readonly Operation[] | undefined;

export const listExtensionOperations = (): readonly Operation[] => all.filter((op) => op.extension);

/** An MCP tool, all of which are in the given contract, with what it has of the operation. */
export function toStrictTool(tool: Tool): Tool {
  const operation = listStrictOperations().find(({ id }) => id === tool.operation.id) ?? tool.operation;
  return { ...tool, operation, inputs: tool.inputs.map((input) => ({ ...input, schema: toStrictSchema(input.schema) })) };
}

/** Whether a JSON pointer leads to a field that is marked. */
export function isExtensionPath(schema: ObjectSpec | undefined, path: string): boolean {
  let part: AnySchema | undefined = schema;
  for (const name of parsePointer(path)) {
    if (part?.kind === 'array') part = part.items;
    else part = part?.kind === 'object' ? part.properties[name] : undefined;
    if (part?.extension) return true;
  }
  return false;
}

/** What an error says about an extension. */
export const explainExtension = (what: string): string =>
  `${what} is an extension of stockroom, which this service, started with --contract strict, does not have`;

/** The body of a webhook without the fields that the given contract does not have. */
export function toStrictEventBody(text: string): string {
  const body = JSON.parse(text) as { readonly event: ChangeEvent; readonly data: unknown };
  return JSON.stringify({ ...body, data: stripExtensions(getEventDataSchema(body.event), body.data) });
}

/** Tools as listed for clients: schemas and annotations, derived from the contract. */
import { type JsonSchema, isPortablePattern, toJsonSchema } from '../contract/schema/json-schema.ts';
import type { AnySchema } from '../contract/schema/builder.ts';
import type { Tool, ToolInput } from '../contract/mcp-tools.ts';

export interface ListedTool {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema?: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

export function toListedTool(tool: Tool): ListedTool {
  const { name, title, description, operation, risk } = tool;
  const changes = { destructiveHint: tool.isDestructive ?? false, idempotentHint: true };
  return {
    name,
    title,
    description,
    inputSchema: buildInputSchema(tool),
    ...(operation.result && { outputSchema: buildOutputSchema(operation.result, tool) }),
    annotations: {
      readOnlyHint: risk === 'read_only',
      ...(risk === 'read_only' ? {} : changes),
      openWorldHint: tool.isOpenWorld ?? false,
    },
  };
}

function buildInputSchema({ inputs }: Tool): ListedTool['inputSchema'] {
  const required = inputs.filter(({ schema }) => !schema.optional).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(inputs.map((input) => [input.name, buildProperty(input)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function buildOutputSchema(result: AnySchema, { isPreviewed }: Tool): JsonSchema & { readonly type: 'object' } {
  const schema = toStandardSchema(result, 'output') as JsonSchema & { type: 'object'; properties: object };
  return isPreviewed ? { ...schema, properties: { ...schema.properties, preview_token: PREVIEW_TOKEN } } : schema;
}

const PREVIEW_TOKEN: JsonSchema = { type: 'string', description: 'Of a preview: the input with which a call applies it.' };

function buildProperty({ place, schema }: ToolInput): JsonSchema {
  // Not `enum: [true]`: some models know enums of texts only. The call checks that it is true.
  if (place === 'confirmation') return toStandardSchema(schema, 'input');
  return schema.kind === 'array' && schema.csv
    ? toCommaSeparatedSchema(schema.items, schema.description)
    : toStandardSchema(schema, 'input');
}

/** A string of comma-separated values, as in a query string. */
function toCommaSeparatedSchema(items: AnySchema, description: string | undefined): JsonSchema {
  const annotations = description === undefined ? {} : { description };
  if (items.kind !== 'enum') return { type: 'string', ...annotations };
  const one = `(?:${items.values.join('|')})`;
  return { type: 'string', pattern: `^${one}(?:,${one})*$`, ...annotations };
}

/**
 * Without our own extension keywords, which strict validators of clients reject, and with one type per schema. Inputs are plainer than the API: an
 * optional field is left out instead of null, and patterns that not every engine reads are left to the call.
 */
function toStandardSchema(schema: AnySchema, side: 'input' | 'output'): JsonSchema {
  const json = JSON.stringify(toJsonSchema(schema, { dialect: 'draft-2020-12', side, portable: side === 'output' }));
  return JSON.parse(json, (key, value: unknown) => {
    if (key === 'x-extension') return undefined;
    return side === 'input' ? simplifyInput(key, value) : value;
  }) as JsonSchema;
}

function simplifyInput(key: string, value: unknown): unknown {
  if (key === 'pattern' && typeof value === 'string' && !isPortablePattern(value)) return undefined;
  if (!Array.isArray(value)) return value;
  if (key === 'type') return value.find((type) => type !== 'null');
  return key === 'enum' ? value.filter((each) => each !== null) : value;
}

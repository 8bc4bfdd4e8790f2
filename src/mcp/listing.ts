/** The tools as clients see them: schemas and hints, derived from the contract. */
import { type JsonSchema, toJsonSchema } from '../contract/json-schema.ts';
import type { AnySchema } from '../contract/schema.ts';
import type { Tool, ToolInput } from '../contract/tools.ts';

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

export function listed(tool: Tool): ListedTool {
  const { name, title, description, operation, risk } = tool;
  const changes = { destructiveHint: tool.overwrites ?? false, idempotentHint: true };
  const output = operation.result && (plain(operation.result, 'output') as JsonSchema & { type: 'object' });
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(tool),
    ...(output ? { outputSchema: output } : {}),
    annotations: {
      readOnlyHint: risk === 'read_only',
      ...(risk === 'read_only' ? {} : changes),
      openWorldHint: tool.reachesOut ?? false,
    },
  };
}

function inputSchema({ inputs }: Tool): ListedTool['inputSchema'] {
  const required = inputs.filter(({ schema }) => !schema.optional).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(inputs.map((input) => [input.name, propertyOf(input)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function propertyOf({ place, schema }: ToolInput): JsonSchema {
  if (place === 'confirmation') return { ...plain(schema, 'input'), enum: [true] };
  return schema.kind === 'array' && schema.csv ? joined(schema.items, schema.description) : plain(schema, 'input');
}

/** Values joined by commas, as in a query string. */
function joined(items: AnySchema, description: string | undefined): JsonSchema {
  const about = description === undefined ? {} : { description };
  if (items.kind !== 'enum') return { type: 'string', ...about };
  const one = `(?:${items.values.join('|')})`;
  return { type: 'string', pattern: `^${one}(?:,${one})*$`, ...about };
}

/** Without our own marks, which strict validators of clients do not know. */
function plain(schema: AnySchema, side: 'input' | 'output'): JsonSchema {
  return withoutMarks(toJsonSchema(schema, { dialect: 'draft-2020-12', side })) as JsonSchema;
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (key === 'x-extension' ? [] : [[key, withoutMarks(part)] as const])),
  );
}

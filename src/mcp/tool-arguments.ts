/**
 * Maps the arguments of a tool call to the parts of a request. Rejects only what does not fit into a request, in the error format of the
 * service: unknown and missing inputs, wrong types, invalid characters for a path or header, a missing confirmation. All other rules are
 * validated by the operation itself.
 */
import type { LooseParts } from '../client/request.ts';
import type { ErrorEnvelope } from '../contract/error-envelope.ts';
import { type FieldCode, type FieldProblem, errors } from '../contract/errors.ts';
import type { AnySchema } from '../contract/schema/builder.ts';
import { toPointer } from '../contract/schema/json-pointer.ts';
import type { Tool, ToolInput } from '../contract/mcp-tools.ts';

export type ToolArguments = Readonly<Record<string, unknown>>;

interface MappedArguments {
  readonly input: LooseParts;
  readonly idempotencyKey: string | undefined;
}

/** More than any id has; URLs have a maximum length. */
const PATH_VALUE_MAX_CHARS = 100;

export function mapArguments(tool: Tool, args: ToolArguments): MappedArguments | { readonly problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const known = new Set(tool.inputs.map(({ name }) => name));
  for (const name of Object.keys(args)) {
    if (known.has(name)) continue;
    problems.push(createProblem(name, 'unknown_field', `${name} is not an input of ${tool.name}`));
  }
  const params: Record<string, string> = {};
  const query: Record<string, string | number | boolean> = { ...tool.query };
  const body: Record<string, unknown> = { ...tool.body };
  let idempotencyKey: string | undefined;
  for (const input of tool.inputs) {
    const value = Object.hasOwn(args, input.name) ? args[input.name] : undefined;
    const found = validateInput(input, value);
    if (found) problems.push(found);
    else if (value === undefined) continue;
    else if (input.place === 'path') params[input.field] = value as string;
    else if (input.place === 'query') query[input.field] = value as string | number | boolean;
    else if (input.place === 'body') body[input.field] = value;
    else if (input.place === 'idempotency key') idempotencyKey = value as string;
  }
  if (problems.length > 0) return { problems };
  return { input: { params, query, ...(tool.operation.body ? { body } : {}) }, idempotencyKey };
}

function validateInput({ name, place, schema }: ToolInput, value: unknown): FieldProblem | undefined {
  if (value === undefined) return schema.optional ? undefined : createProblem(name, 'required', `${name} is required`);
  if (place === 'confirmation') return value === true ? undefined : createProblem(name, 'not_allowed', `${name} must be true`);
  if (value === null && schema.nullable) return undefined;
  const type = getJsonType(schema);
  if (type !== (Array.isArray(value) ? 'array' : typeof value))
    return createProblem(name, 'wrong_type', `${name} must be ${TYPE_NAMES[type]}`);
  return place === 'body' || typeof value !== 'string' ? undefined : validateText(name, place, schema, value);
}

/** Validates strings that become part of a URL or header. */
function validateText(name: string, place: ToolInput['place'], schema: AnySchema, value: string): FieldProblem | undefined {
  if (place === 'path' && (value.length > PATH_VALUE_MAX_CHARS || ['', '.', '..'].includes(value))) {
    return createProblem(name, 'bad_format', `${name} must be a UUID`);
  }
  // A lone surrogate has no UTF-8 encoding, so no URL can contain it.
  if (!value.isWellFormed()) return createProblem(name, 'bad_format', `${name} must be well-formed Unicode`);
  if (schema.kind !== 'string') return undefined;
  const { max = Infinity, min = 0, pattern, hint = 'in another format' } = schema;
  // The limit counts code points, which are one or two UTF-16 code units each. The service decides in between.
  if (value.length > 2 * max) return createProblem(name, 'too_big', `${name} must have at most ${String(max)} characters`);
  if (value.length < min) return createProblem(name, 'empty', `${name} must not be empty`);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return createProblem(name, 'bad_format', `${name} must be ${hint}`);
  return undefined;
}

const TYPE_NAMES = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
} as const;

function getJsonType(schema: AnySchema): keyof typeof TYPE_NAMES {
  switch (schema.kind) {
    case 'string':
    case 'enum':
      return 'string';
    case 'number':
    case 'boolean':
      return schema.kind;
    case 'array':
      return schema.csv ? 'string' : 'array';
    case 'object':
    case 'map':
    case 'json':
      return 'object';
  }
}

export const createProblem = (name: string, code: FieldCode, message: string): FieldProblem => ({
  in: 'body',
  path: toPointer([name]),
  code,
  message,
});

/** Renames the fields in an error of the service to the inputs of the tool: `contactId must be a UUID` → `contact_id must be a UUID`. */
export function toInputNames({ inputs }: Tool, text: string): string {
  const names = new Map(inputs.flatMap(({ name, field, place }) => (place === 'body' && name !== field ? [[field, name] as const] : [])));
  if (names.size === 0) return text;
  // Fields of lines have no names of their own here.
  const pattern = new RegExp(String.raw`(?<![\w./])(?:${[...names.keys()].join('|')})\b`, 'gu');
  const rename = (message: string): string => message.replace(pattern, (field) => names.get(field) ?? field);
  const error = parseError(text);
  if (error === undefined) return text;
  const fields = error.fields?.map((problem) => {
    const [, first = '', ...rest] = problem.path.split('/');
    const path = ['', names.get(first) ?? first, ...rest].join('/');
    return { ...problem, path, message: rename(problem.message) };
  });
  return JSON.stringify({ error: { ...error, message: rename(error.message), ...(fields && { fields }) } });
}

/** Undefined for the page of a proxy. */
function parseError(text: string): ErrorEnvelope['error'] | undefined {
  try {
    return (JSON.parse(text) as Partial<ErrorEnvelope> | null)?.error;
  } catch {
    return undefined;
  }
}

/** Builds the error body that the service would send. Without an HTTP request there is no request id. */
export function toErrorBody(fields: readonly FieldProblem[], requestId = ''): string {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : '';
  const code = 'VALIDATION_FAILED';
  const error = { code, message: `${first?.message ?? ''}${more}.`, status: errors[code].status, requestId, fields } as const;
  return JSON.stringify({ error } satisfies ErrorEnvelope);
}

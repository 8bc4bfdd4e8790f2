/**
 * The arguments of a tool call, sorted into the parts of a request. Only what cannot be put into a request is refused here, with the
 * service's own form of a refusal: unknown and missing inputs, wrong types, what does not fit into an address or a header, a missing
 * confirmation. Every other rule is the operation's, and the service has the words for it.
 */
import type { LooseParts } from '../client/request.ts';
import type { ErrorEnvelope } from '../contract/envelope.ts';
import { type FieldCode, type FieldProblem, errors } from '../contract/errors.ts';
import type { AnySchema } from '../contract/schema.ts';
import type { Tool, ToolInput } from '../contract/tools.ts';

export type Arguments = Readonly<Record<string, unknown>>;

interface Sorted {
  readonly parts: LooseParts;
  readonly idempotencyKey: string | undefined;
}

/** More than any id that the service ever made; addresses have an end. */
const PATH_VALUE_MAX_CHARS = 100;

export function sortOut(tool: Tool, args: Arguments): Sorted | { readonly problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const known = new Set(tool.inputs.map(({ name }) => name));
  for (const name of Object.keys(args)) {
    if (known.has(name)) continue;
    problems.push(problem(name, 'unknown_field', `${name} is not an input of ${tool.name}`));
  }
  const params: Record<string, string> = {};
  const query: Record<string, string | number> = { ...tool.query };
  const body: Record<string, unknown> = {};
  let idempotencyKey: string | undefined;
  for (const input of tool.inputs) {
    const value = Object.hasOwn(args, input.name) ? args[input.name] : undefined;
    const found = problemWith(input, value);
    if (found) problems.push(found);
    else if (value === undefined) continue;
    else if (input.place === 'path') params[input.field] = value as string;
    else if (input.place === 'query') query[input.field] = value as string | number;
    else if (input.place === 'body') body[input.field] = value;
    else if (input.place === 'idempotency key') idempotencyKey = value as string;
  }
  if (problems.length > 0) return { problems };
  return { parts: { params, query, ...(tool.operation.body ? { body } : {}) }, idempotencyKey };
}

function problemWith({ name, place, schema }: ToolInput, value: unknown): FieldProblem | undefined {
  if (value === undefined) return schema.optional ? undefined : problem(name, 'required', `${name} is required`);
  if (place === 'confirmation') return value === true ? undefined : problem(name, 'not_allowed', `${name} must be true`);
  if (value === null && schema.nullable) return undefined;
  const type = typeOf(schema);
  if (type !== (Array.isArray(value) ? 'array' : typeof value)) return problem(name, 'wrong_type', `${name} must be ${WORDS[type]}`);
  return place === 'body' || typeof value !== 'string' ? undefined : problemWithText(name, place, schema, value);
}

/** Texts that become part of an address or a header. */
function problemWithText(name: string, place: ToolInput['place'], schema: AnySchema, value: string): FieldProblem | undefined {
  if (place === 'path' && (value.length > PATH_VALUE_MAX_CHARS || ['', '.', '..'].includes(value))) {
    return problem(name, 'bad_format', `${name} must be a UUID`);
  }
  // Half of a surrogate pair has no UTF-8, so that no address can hold it.
  if (!value.isWellFormed()) return problem(name, 'bad_format', `${name} must be a well-formed text`);
  if (schema.kind !== 'string') return undefined;
  const { max = Infinity, min = 0, pattern, hint = 'written otherwise' } = schema;
  // Code points count, and a code point is one or two of these: what is in between is for the service to judge.
  if (value.length > 2 * max) return problem(name, 'too_big', `${name} must have at most ${String(max)} characters`);
  if (value.length < min) return problem(name, 'empty', `${name} must not be empty`);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return problem(name, 'bad_format', `${name} must be ${hint}`);
  return undefined;
}

const WORDS = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
} as const;

function typeOf(schema: AnySchema): keyof typeof WORDS {
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

const problem = (name: string, code: FieldCode, message: string): FieldProblem => ({
  in: 'body',
  path: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  code,
  message,
});

/** A refusal in the form of the service, which was not asked; without an HTTP request there is no request id. */
export function refusalOf(fields: readonly FieldProblem[], requestId = ''): string {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : '';
  const code = 'VALIDATION_FAILED';
  const error = { code, message: `${first?.message ?? ''}${more}.`, status: errors[code].status, requestId, fields } as const;
  return JSON.stringify({ error } satisfies ErrorEnvelope);
}

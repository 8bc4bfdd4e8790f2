/** The body of a write from the command line: `--data`, then `--set`, then flags; the later wins. */
import { Flags } from '@oclif/core';
import type { Operation } from '../contract/operation.ts';
import type { AnySchema, ObjectSpec } from '../contract/schema.ts';
import { exactNumber, isNumberText, parseExact } from './exact-json.ts';
import { usage } from './failure.ts';
import { plainFields } from './operation-flags.ts';
import { whyUnreadable } from '../client/reasons.ts';
import { isHeaderText } from './secret.ts';

/** What every write has beside the flags of its fields. */
export const writeFlags = {
  data: Flags.string({ helpValue: 'JSON|@FILE|-', description: 'The body as JSON: itself, from a file, or from stdin.' }),
  set: Flags.string({
    helpValue: 'PATH=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    description: 'Set a field, also inside lists: --set lines.0.quantity=5. Repeatable.',
  }),
  'dry-run': Flags.boolean({ description: 'Print the request and send nothing.' }),
  'idempotency-key': Flags.string({
    helpValue: 'KEY',
    description: 'Repeat a request safely with the same key. Default: a fresh one.',
    parse: (key) => {
      if (!isHeaderText(key)) throw usage('--idempotency-key travels in a header, so it takes the letters, digits and signs of ASCII');
      return Promise.resolve(key);
    },
  }),
};

export interface BodyFlags {
  readonly data?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly [flag: string]: unknown;
}

export interface Stdin {
  readonly isTTY: boolean;
  read(): Promise<Buffer>;
}

type Json = Record<string, unknown>;

/** The body; numbers keep their digits. Refuses text that is no JSON, and values that cannot be of the field's type. */
export async function bodyOf(op: Pick<Operation, 'body'>, flags: BodyFlags, stdin: Stdin = processStdin): Promise<Json> {
  if (flags.data === '-' && flags['api-key-file'] === '-')
    throw usage('stdin cannot be both the key and the data', 'read one of them from a file');
  let body: Json = flags.data === undefined ? {} : await readData(flags.data, stdin);
  for (const assignment of flags.set ?? []) body = applySet(body, assignment, op.body);
  return { ...body, ...fieldsOf(op.body, flags) };
}

/** Whether the command line says anything about the body. */
export const saysNothing = (body: Json): boolean => Object.keys(body).length === 0;

function fieldsOf(schema: ObjectSpec | undefined, flags: BodyFlags): Json {
  const given: Json = {};
  for (const { name, flag, schema: field } of plainFields(schema)) {
    const value = flags[flag];
    if (typeof value === 'string') given[name] = typed(value, field, `--${flag}`);
    else if (typeof value === 'boolean') given[name] = value;
  }
  return given;
}

async function readData(data: string, stdin: Stdin): Promise<Json> {
  const [text, source] = await textOf(data, stdin);
  let value: unknown;
  try {
    // Some editors and shells begin a file with a byte order mark.
    value = parseExact(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw usage(`${source} is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw usage(`${source} has to be a JSON object, like {"name": "Hex bolt M6"}`);
  return value;
}

async function textOf(data: string, stdin: Stdin): Promise<[text: string, source: string]> {
  if (data === '-') {
    // Waiting for a person to type JSON would look like a hang.
    if (stdin.isTTY) throw usage('--data - reads stdin, but nothing is piped in', 'pipe the JSON in, or use --data @FILE');
    return [decoded(await stdin.read(), 'stdin'), 'stdin'];
  }
  if (!data.startsWith('@')) return [data, '--data'];
  const path = data.slice(1);
  if (path === '') throw usage('--data @ names no file');
  const bytes = await process
    .getBuiltinModule('node:fs/promises')
    .readFile(path)
    .catch((error: unknown) => {
      throw usage(`${path} cannot be read: ${whyUnreadable(error)}`);
    });
  return [decoded(bytes, path), path];
}

/** Bytes that are no UTF-8 are refused, as the service does: replaced by question marks, they would be stored as such. */
function decoded(bytes: Buffer, source: string): string {
  if (!process.getBuiltinModule('node:buffer').isUtf8(bytes)) throw usage(`${source} is not UTF-8`, 'save it as UTF-8');
  return bytes.toString();
}

const processStdin: Stdin = {
  get isTTY() {
    return process.stdin.isTTY;
  },
  async read() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
};

/** A value of the type that the schema says; without one, JSON when it reads as JSON, else text. */
function typed(text: string, schema: AnySchema | undefined, source: string): unknown {
  if (schema?.nullable && (text === 'null' || (text === '' && schema.kind !== 'string'))) return null;
  switch (schema?.kind) {
    case 'string':
    case 'enum':
      return text === '' && schema.nullable ? null : text;
    case 'number':
      if (!isNumberText(text)) throw usage(`${source} has to be a number such as 12 or 0.35, not "${text}"`);
      return exactNumber(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw usage(`${source} has to be true or false, not "${text}"`);
      return text === 'true';
    case 'array':
    case 'object':
    case 'map':
      try {
        return parseExact(text);
      } catch (error) {
        throw usage(`${source} has to be JSON: ${(error as Error).message}`);
      }
    case 'json':
    case undefined:
      try {
        return parseExact(text);
      } catch {
        return text;
      }
  }
}

/** `lines.0.quantity=5` put into a copy of the body. */
function applySet(body: Json, assignment: string, schema: ObjectSpec | undefined): Json {
  const at = assignment.indexOf('=');
  const path = assignment.slice(0, Math.max(0, at)).split('.');
  if (at < 1 || path.includes(''))
    throw usage(`--set ${assignment} is not of the form path=value`, 'for example --set salePrice=0.35 or --set lines.0.quantity=5');
  return put(body, path, schema, assignment.slice(at + 1), assignment) as Json;
}

function put(target: unknown, path: readonly string[], schema: AnySchema | undefined, text: string, assignment: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return typed(text, schema, `--set ${assignment.slice(0, assignment.indexOf('='))}`);
  if (/^\d+$/u.test(key) && (schema === undefined || schema.kind === 'array' || Array.isArray(target))) {
    const list = Array.isArray(target) ? [...(target as unknown[])] : [];
    if (Number(key) > list.length)
      throw usage(`--set ${assignment}: the list has ${String(list.length)} entries so far, so the next is ${String(list.length)}`);
    list[Number(key)] = put(list[Number(key)], rest, schema?.kind === 'array' ? schema.items : undefined, text, assignment);
    return list;
  }
  if (target !== undefined && !isObject(target)) throw usage(`--set ${assignment}: ${key} stands inside something that is no object`);
  const inner = schema?.kind === 'object' ? schema.properties[key] : schema?.kind === 'map' ? schema.values : undefined;
  return { ...target, [key]: put(target?.[key], rest, inner, text, assignment) };
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

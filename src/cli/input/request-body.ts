/** Reads the body of a write from `--data`, then `--set`, then flags; later ones override earlier ones. */
import { Flags } from '@oclif/core';
import { BODY_MAX_BYTES } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { repeatable } from './common-flags.ts';
import { toLosslessNumber, isJsonNumber, parseLosslessJson } from '../lossless-json.ts';
import { usageError } from '../errors/failure.ts';
import { listFlagFields } from './operation-flags.ts';
import { readBounded, readBoundedFile } from './bounded-read.ts';
import { isHeaderText } from './secret.ts';

/** Flags of a write whose repetition does no harm. */
export const repeatableWriteFlags = {
  data: Flags.string({ helpValue: 'JSON|@FILE|-', description: 'Request body: inline JSON, @file, or - for stdin.' }),
  set: Flags.string({
    helpValue: 'PATH=VALUE',
    ...repeatable,
    description: 'Set a field of the body: --set lines.0.quantity=5. Repeatable.',
  }),
  'dry-run': Flags.boolean({ description: 'Print the request instead of sending it.' }),
};

/** Flags of every other write besides those of its fields. */
export const writeFlags = {
  ...repeatableWriteFlags,
  'idempotency-key': Flags.string({
    helpValue: 'KEY',
    description: 'Key that makes the request safe to repeat. Default: a new key.',
    parse: (key) => {
      if (!isHeaderText(key)) throw usageError('--idempotency-key must contain only ASCII characters, because it is sent in a header');
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

/** Returns the body; numbers keep their digits. Throws a usage error for text that is not JSON or does not fit the type of a field. */
export async function readRequestBody(op: Pick<Operation, 'body'>, flags: BodyFlags, stdin: Stdin = processStdin): Promise<Json> {
  if (flags.data === '-' && flags['api-key-file'] === '-')
    throw usageError('--data and --api-key-file cannot both read stdin', 'Read one of them from a file');
  let body: Json = flags.data === undefined ? {} : await readData(flags.data, stdin);
  for (const assignment of flags.set ?? []) body = applyAssignment(body, assignment, op.body);
  return { ...body, ...toFields(op.body, flags) };
}

export const isEmptyBody = (body: Json): boolean => Object.keys(body).length === 0;

function toFields(schema: ObjectSpec | undefined, flags: BodyFlags): Json {
  const given: Json = {};
  for (const { name, flag, schema: field } of listFlagFields(schema)) {
    const value = flags[flag];
    if (typeof value === 'string') given[name] = parseValue(value, field, `--${flag}`);
    else if (typeof value === 'boolean') given[name] = value;
    else if (Array.isArray(value)) given[name] = parsePairs(value as string[], `--${flag}`);
  }
  return given;
}

/** `key=value` of each; null for a single empty text, which clears the field. */
function parsePairs(pairs: readonly string[], source: string): Json | null {
  if (pairs.length === 1 && pairs[0] === '') return null;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`Invalid ${source} "${pair}". Expected KEY=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

async function readData(data: string, stdin: Stdin): Promise<Json> {
  const [text, source] = await readText(data, stdin);
  let value: unknown;
  try {
    // Some editors and shells start files with a byte order mark.
    value = parseLosslessJson(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    const isPath = source === '--data' && /^[\w./~-]+$/u.test(text);
    throw usageError(
      `${source} is not valid JSON: ${(error as Error).message}`,
      isPath ? `To read a file, use --data @${text}` : undefined,
    );
  }
  if (!isObject(value)) throw usageError(`${source} must be a JSON object, such as {"name": "Hex bolt M6"}`);
  return value;
}

async function readText(data: string, stdin: Stdin): Promise<[text: string, source: string]> {
  if (data === '-') {
    // Waiting for typed JSON would look like a hang.
    if (stdin.isTTY) throw usageError('--data - requires input on stdin', 'Pipe the JSON in, or use --data @FILE');
    return [decodeUtf8(await stdin.read(), 'stdin'), 'stdin'];
  }
  if (!data.startsWith('@')) return [data, '--data'];
  const path = data.slice(1);
  if (path === '') throw usageError('Missing file name after --data @');
  return [decodeUtf8(await readBoundedFile(path, BODY_MAX_BYTES), path), path];
}

/** Rejects bytes that are not UTF-8, as the service does: decoding would replace them, and the replacements would be stored. */
function decodeUtf8(bytes: Buffer, source: string): string {
  if (!process.getBuiltinModule('node:buffer').isUtf8(bytes)) throw usageError(`${source} is not UTF-8`, 'Save it as UTF-8');
  return bytes.toString();
}

const processStdin: Stdin = {
  get isTTY() {
    return process.stdin.isTTY;
  },
  read: () => readBounded(process.stdin, BODY_MAX_BYTES, 'stdin'),
};

/** Converts text to the type of the schema; without a schema, to JSON if it is valid JSON, else it stays text. */
function parseValue(text: string, schema: AnySchema | undefined, source: string): unknown {
  if (schema?.nullable && (text === 'null' || (text === '' && schema.kind !== 'string'))) return null;
  switch (schema?.kind) {
    case 'string':
    case 'enum':
      return text === '' && schema.nullable ? null : text;
    case 'number':
      if (!isJsonNumber(text)) throw usageError(`Invalid ${source} "${text}". Expected a number, such as 12 or 0.35`);
      return toLosslessNumber(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw usageError(`Invalid ${source} "${text}". Expected true or false`);
      return text === 'true';
    case 'array':
    case 'object':
    case 'map':
      try {
        return parseLosslessJson(text);
      } catch (error) {
        throw usageError(`${source} must be JSON: ${(error as Error).message}`);
      }
    case 'json':
    case undefined:
      try {
        return parseLosslessJson(text);
      } catch {
        return text;
      }
  }
}

/** Applies `lines.0.quantity=5` to a copy of the body. */
function applyAssignment(body: Json, assignment: string, schema: ObjectSpec | undefined): Json {
  const at = assignment.indexOf('=');
  const path = assignment.slice(0, Math.max(0, at)).split('.');
  if (at < 1 || path.includes(''))
    throw usageError(`Invalid --set "${assignment}". Expected PATH=VALUE`, 'Example: --set salePrice=0.35 or --set lines.0.quantity=5');
  return setValue(body, path, schema, assignment.slice(at + 1), assignment) as Json;
}

function setValue(target: unknown, path: readonly string[], schema: AnySchema | undefined, text: string, assignment: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return parseValue(text, schema, `--set ${assignment.slice(0, assignment.indexOf('='))}`);
  if (/^\d+$/u.test(key) && (schema === undefined || schema.kind === 'array' || Array.isArray(target))) {
    const list = Array.isArray(target) ? [...(target as unknown[])] : [];
    if (Number(key) > list.length)
      throw usageError(
        `Invalid --set "${assignment}". The list has ${String(list.length)} entries, so the next index is ${String(list.length)}`,
      );
    list[Number(key)] = setValue(list[Number(key)], rest, schema?.kind === 'array' ? schema.items : undefined, text, assignment);
    return list;
  }
  if (target !== undefined && !isObject(target)) throw usageError(`Invalid --set "${assignment}". ${key} is not inside an object`);
  const inner = schema?.kind === 'object' ? schema.properties[key] : schema?.kind === 'map' ? schema.values : undefined;
  return { ...target, [key]: setValue(target?.[key], rest, inner, text, assignment) };
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

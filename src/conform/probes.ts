/**
 * Requests that show how a service keeps the contract: valid ones, and one for each thing that can be wrong about them. Derived from the
 * operations. Texts like `$item` stand for the id that an earlier step has got under this name, from the same service. Pure.
 */
import type { Operation } from '../contract/operation.ts';
import type { AnySchema, ObjectSpec } from '../contract/schema/builder.ts';
import { type WrongValue, listWrongParameters, listWrongValues } from './wrong-values.ts';

export interface Step {
  readonly name: string;
  readonly op: Operation;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Instead of the key of the service; null for none. */
  readonly key?: string | null;
  /** Instead of a new key; null for none. */
  readonly idempotencyKey?: string | null;
  /** The name under which later steps find the id of the record: of the reply, or of the first row of a list. */
  readonly save?: string;
  /** The reply shows what these steps have made, so its values are compared, too. */
  readonly isOwn?: boolean;
}

const UNKNOWN_ID = '0197a3c0-0000-7000-8000-000000000000';
/** Parameters that every list has are tried out on one. */
const COMMON = new Set(['page', 'page_size', 'search', 'sort', 'updated_since', 'created_since']);
const WRONG_KEY = 'pk_test_conform00_0000000000000000000000000000000000000000000';

const isText = (value: unknown): value is string => typeof value === 'string';
const toText = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : isText(value) ? value : JSON.stringify(value);

/** Steps that change nothing. */
export function listReads(operations: readonly Operation[]): readonly Step[] {
  const reads = operations.filter(({ method, longPoll }) => method === 'GET' && longPoll !== true);
  // Lists first, whose rows have the ids of the others.
  const ordered = reads.toSorted((a, b) => countParams(a) - countParams(b));
  let hasCommon = false;
  return ordered.flatMap((op) => {
    const params = Object.fromEntries(Object.keys(op.params?.properties ?? {}).map((name) => [name, `$row:${name}`]));
    const valid: Step = { name: 'valid', op, params, query: getExampleQuery(op), save: `row:${getRowParam(op, operations)}` };
    const tried = Object.entries(op.query?.properties ?? {}).filter(([name]) => !hasCommon || !COMMON.has(name));
    hasCommon ||= op.query?.properties['page_size'] !== undefined;
    return [valid, ...tried.flatMap(([name, schema]) => tryParameter(valid, name, schema)), ...tryRequest(valid)];
  });
}

const countParams = ({ path }: Operation): number => path.split('{').length;

/** Of an operation that requires a parameter, such as `module` of orders. */
function getExampleQuery({ query, example }: Operation): Readonly<Record<string, unknown>> {
  const required = Object.entries(query?.properties ?? {}).filter(([, schema]) => !schema.optional && schema.default === undefined);
  return Object.fromEntries(required.map(([name]) => [name, example?.query?.[name]]));
}

/** The parameter that takes an id of the list: `item_id` of `/v1/items`. */
const getRowParam = ({ path }: Operation, operations: readonly Operation[]): string =>
  operations.map((other) => /\{(\w+)\}$/u.exec(other.path.startsWith(`${path}/{`) ? other.path : '')?.[1]).find(isText) ?? '';

function tryParameter(valid: Step, name: string, schema: AnySchema): readonly Step[] {
  const [value] = listEnum(schema);
  const right = value === undefined ? [] : [{ ...valid, name: `${name}=${value}`, query: { ...valid.query, [name]: value } }];
  const wrong = listWrongParameters(schema).map(({ what, value: bad }) => ({
    ...valid,
    name: `${name} ${what}`,
    query: { ...valid.query, [name]: toText(bad) },
  }));
  const required = Object.hasOwn(valid.query ?? {}, name) ? [{ ...valid, name: `without ${name}`, query: omit(valid.query, name) }] : [];
  return [...right, ...wrong, ...required].map(withoutSave);
}

const listEnum = (schema: AnySchema): readonly string[] =>
  schema.kind === 'enum' ? schema.values : schema.kind === 'array' ? listEnum(schema.items) : [];

function tryRequest(valid: Step): readonly Step[] {
  const last = Object.keys(valid.params ?? {}).at(-1);
  const ids =
    last === undefined
      ? []
      : ['unknown', 'malformed'].map((what) => ({
          ...valid,
          name: `${what} ${last}`,
          params: { ...valid.params, [last]: what === 'unknown' ? UNKNOWN_ID : 'not-an-id' },
        }));
  const unknown = { ...valid, name: 'unknown parameter', query: { ...valid.query, conform_unknown: '1' } };
  const keys = [
    { ...valid, name: 'without a key', key: null },
    { ...valid, name: 'with an unknown key', key: WRONG_KEY },
  ];
  return [...ids, unknown, ...keys].map(withoutSave);
}

/** Steps for everything that can be wrong about a valid write. All are rejected, so that they change nothing. */
export function tryWrite(valid: Step): readonly Step[] {
  const { op, body } = valid;
  if (op.body === undefined || typeof body !== 'object' || body === null) return [];
  const wrong = listWrongBodies(op.body, body as Readonly<Record<string, unknown>>);
  return [
    ...wrong.map(({ what, value }) => ({ ...valid, name: what, body: value })),
    { ...valid, name: 'without Idempotency-Key', idempotencyKey: null },
    { ...valid, name: 'not an object', body: [] },
  ].map(withoutSave);
}

function listWrongBodies({ properties }: ObjectSpec, body: Readonly<Record<string, unknown>>): readonly WrongValue[] {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const wrong = listWrongValues(schema).map(({ what, value }) => ({ what: `${name} ${what}`, value: { ...body, [name]: value } }));
    const isRequired = !schema.optional && schema.default === undefined && Object.hasOwn(body, name);
    return [...wrong, ...(isRequired ? [{ what: `without ${name}`, value: omit(body, name) }] : []), ...listWrongRows(name, schema, body)];
  });
  return [...fields, { what: 'unknown field', value: { ...body, conform_unknown: 1 } }];
}

/** In the first of the rows of a body, such as its lines. */
function listWrongRows(name: string, schema: AnySchema, body: Readonly<Record<string, unknown>>): readonly WrongValue[] {
  const rows = body[name];
  if (schema.kind !== 'array' || schema.items.kind !== 'object' || !Array.isArray(rows) || rows.length === 0) return [];
  return listWrongBodies(schema.items, rows[0] as Readonly<Record<string, unknown>>).map(({ what, value }) => ({
    what: `${name}[0] ${what}`,
    value: { ...body, [name]: [value, ...(rows as unknown[]).slice(1)] },
  }));
}

const omit = (values: Readonly<Record<string, unknown>> | undefined, name: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([key]) => key !== name));

function withoutSave(step: Step): Step {
  const { save: _, ...rest } = step;
  return rest;
}

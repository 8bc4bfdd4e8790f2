/** Replaces the natural names of records by their ids, where a request refers to records. A text that is an id needs no request. */
import type { Client, Reply } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { LooseParts } from '../../client/request.ts';
import { readAllRows } from '../../client/lists/pages.ts';
import { PAGE_SIZE_MAX, SEARCH_MAX_CHARS } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import type { RecordList } from '../../contract/record-lists.ts';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { type RecordKind, formatNameTerms, getRecordNames } from '../../contract/schema/record-kinds.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { isId } from '../output/fields.ts';
import { type NamedRow, ambiguousName, endedName, findNamed, pluralize, unknownName } from './record-names.ts';

/** Where records are looked up. */
export interface RecordSource {
  /** That of the lists which the service has. */
  readonly operation: Operation;
  readonly client: Client;
  /** Parameters of its lists, such as the tenant. */
  readonly query: Readonly<Record<string, string | undefined>>;
}

export interface ResolveContext {
  /** Connects to the service that has the list. */
  connectTo(list: RecordList): Promise<RecordSource>;
  /** Ids of the request's path, for lists below a record. */
  readonly params: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

/** Rows that contain a name. If there are more, only the filters for exact names are used. */
const ROWS_MAX = 5 * PAGE_SIZE_MAX;

/** Replaces names in the parameters of a path. */
export async function resolveParams(
  spec: ObjectSpec | undefined,
  params: Readonly<Record<string, string>>,
  context: Omit<ResolveContext, 'params'>,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = { ...params };
  // The record of the path is needed to find those below it.
  for (const [name, schema] of Object.entries(spec?.properties ?? {}))
    ids[name] = await resolveText(schema, ids[name] ?? '', { ...context, params: ids });
  return ids;
}

/** Replaces names in a query, also in lists that are joined by commas. */
export async function resolveQuery(
  spec: ObjectSpec | undefined,
  query: Readonly<Record<string, string | undefined>>,
  context: ResolveContext,
): Promise<Record<string, string | undefined>> {
  const ids: Record<string, string | undefined> = { ...query };
  for (const [name, schema] of Object.entries(spec?.properties ?? {})) {
    const typed = ids[name];
    if (typed === undefined) continue;
    if (schema.kind !== 'array') ids[name] = await resolveText(schema, typed, context);
    else if (schema.items.refersTo !== undefined) {
      const parts: string[] = [];
      for (const part of typed.split(',')) parts.push(await resolveText(schema.items, part, context));
      ids[name] = parts.join(',');
    }
  }
  return ids;
}

/** Replaces names in a body, also in lists of objects. Values that are no text are kept as they are. */
export async function resolveBody(spec: ObjectSpec | undefined, body: Json, context: ResolveContext): Promise<Record<string, unknown>> {
  const ids: Record<string, unknown> = { ...body };
  for (const [name, schema] of Object.entries(spec?.properties ?? {})) {
    // A line of an order that the body refers to.
    const order = ids['orderId'];
    const params = typeof order === 'string' && isId(order) ? { order_id: order, ...context.params } : context.params;
    if (name in ids) ids[name] = await resolveValue(schema, ids[name], { ...context, params });
  }
  return ids;
}

async function resolveValue(schema: AnySchema, value: unknown, context: ResolveContext): Promise<unknown> {
  if (typeof value === 'string') return resolveText(schema, value, context);
  if (schema.kind === 'array' && Array.isArray(value)) {
    const entries: unknown[] = [];
    for (const entry of value as readonly unknown[]) entries.push(await resolveValue(schema.items, entry, context));
    return entries;
  }
  if (schema.kind === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value))
    return resolveBody(schema, value as Json, context);
  return value;
}

async function resolveText(schema: AnySchema, text: string, context: ResolveContext): Promise<string> {
  const { refersTo: kind } = schema;
  if (kind === undefined || text.trim() === '' || isId(text)) return text;
  const needsId = schema.kind === 'string' && schema.format === 'uuid';
  if (!needsId && getRecordNames(kind).accepted?.test(text) === true) return text;
  const { RECORD_LISTS } = await import('../../contract/record-lists.ts');
  const list = RECORD_LISTS[kind];
  // Without the record above it, the service explains what is missing.
  const parents = Object.keys(list.operation.params?.properties ?? {});
  if (!parents.every((name) => isId(context.params[name]))) return text;
  const params = Object.fromEntries(parents.map((name) => [name, context.params[name] ?? '']));
  const source = await context.connectTo(list);
  try {
    return await findId(kind, text, list, params, source);
  } catch (error) {
    throw error instanceof ApiError ? explainFailedLookup(kind, text, source.operation, error) : error;
  }
}

/** Rows of a list, which may have no pages. Parameters that it does not have are left out. */
export async function readRows(
  { client, operation, query: own }: RecordSource,
  {
    params = {},
    query: more,
    limit,
  }: Pick<LooseParts, 'params'> & { readonly query: Readonly<Record<string, string>>; readonly limit: number },
): Promise<readonly NamedRow[]> {
  const query = pickAccepted(operation, { ...own, ...more });
  if (operation.query?.properties['page'] === undefined)
    return ((await client.perform(operation, { params, query })) as Reply as Reply<{ data: NamedRow[] }>).body.data;
  return readAllRows<NamedRow>(client, operation, { params, query }, limit);
}

/** The parameters that an operation has. */
export const pickAccepted = ({ query }: Operation, values: RecordSource['query']): RecordSource['query'] =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in (query?.properties ?? {})));

/** The part of a name that a search may have. */
export const toSearchText = (name: string): string => Array.from(name.trim()).slice(0, SEARCH_MAX_CHARS).join('');

async function findId(
  kind: RecordKind,
  typed: string,
  { operation: { id: listId }, queries = [{}], ended, filters = {}, isShort }: RecordList,
  params: Readonly<Record<string, string>>,
  source: RecordSource,
): Promise<string> {
  const { operation } = source;
  const read = (query: Readonly<Record<string, string>>, limit: number) => readRows(source, { params, query, limit });
  const search = toSearchText(typed);
  const containing: NamedRow[] = [];
  for (const query of queries) {
    let rows = await read({ ...query, ...(isShort === true ? {} : { search }) }, ROWS_MAX);
    const isPartial = rows.length >= ROWS_MAX;
    if (isPartial) rows = (await Promise.all(Object.values(filters).map((name) => read({ ...query, [name]: typed }, ROWS_MAX)))).flat();
    const [found, ...others] = findNamed(kind, rows, typed);
    if (found && others.length > 0) throw ambiguousName(kind, typed, [found, ...others]);
    if (found) return found.id;
    if (isPartial) throw usageError(`Too many ${pluralize(kind)} contain "${typed}"`, 'Pass the id instead');
    containing.push(...rows);
  }
  if (ended) {
    const past = findNamed(kind, await read({ ...ended.query, search }, ROWS_MAX), typed);
    if (past[0] && getRecordNames(kind).accepted?.test(typed) === true) return past[0].id;
    if (past.length > 0) throw endedName(kind, typed, past, ended.term);
  }
  const [query, ...otherQueries] = queries;
  const others = containing.length > 0 || otherQueries.length > 0 ? containing : await read(query ?? {}, PAGE_SIZE_MAX);
  throw unknownName(kind, typed, others, operation.id === listId ? getListCommand(operation) : null);
}

/** `stockroom items list`; null for lists below a record. */
function getListCommand({ id, params, query }: Operation): string | null {
  if (params !== undefined) return null;
  const required = Object.entries(query?.properties ?? {}).filter(([, { optional }]) => optional !== true);
  return ['stockroom', id.replaceAll(/[._]/gu, ' '), ...required.map(([name]) => name.toUpperCase())].join(' ');
}

function explainFailedLookup(kind: RecordKind, typed: string, { scope, extension }: Operation, cause: ApiError): Error {
  const what = `The ${getRecordNames(kind).noun} "${typed}" cannot be looked up by its ${formatNameTerms(kind)}`;
  if (cause.code === 'NOT_FOUND' && extension)
    return usageError(`${what}: the service has no list of ${pluralize(kind)}`, 'Pass the id instead');
  if (cause.code !== 'SCOPE_REQUIRED') return cause;
  return new Failure('SCOPE_REQUIRED', `${what}: the key needs the scope ${scope ?? ''}`, {
    hint: 'Pass the id instead, or use a key with this scope',
    ...(cause.details && { details: cause.details }),
    cause,
  });
}

/** Operations as data: method, path, scope and schemas. Routes, catalog, published documents, client and MCP tools derive from them. */
import { CURSOR_MAX_CHARS, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, SEARCH_MAX_CHARS } from './limits.ts';
import type { ErrorCode } from './errors.ts';
import { type AnySchema, type Infer, type Input, type ObjectSpec, type Schema, describe, t } from './schema/builder.ts';
import type { RecordKind } from './schema/record-kinds.ts';
import type { Plan, Scope } from './scopes.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  /** Also the capability id of the catalog and of the usage counters. */
  readonly id: string;
  readonly method: Method;
  /** With `{name}` parameters. `/v1/…`, or `/admin/…` for operations on the admin socket. */
  readonly path: string;
  /** Null if any valid key may call the operation. */
  readonly scope: Scope | null;
  /** The lowest plan that includes the operation. Absent: every plan. */
  readonly plan?: Plan;
  /** Extends the given contract; marked `x-extension` in the published documents. */
  readonly extension?: true;
  /** In the strict contract: the operation with its extensions. */
  readonly extended?: Operation;
  /** Has a parameter `wait`: without rows it answers with the first one, see `ApiResponse`. */
  readonly longPoll?: true;
  readonly summary: string;
  readonly description?: string;
  readonly params?: ObjectSpec;
  readonly query?: ObjectSpec;
  readonly body?: ObjectSpec;
  /** Instead of the usual limit; only of admin operations. */
  readonly bodyMaxBytes?: number;
  /** HTTP status of a successful response. */
  readonly status: 200 | 201 | 204;
  /** The status when a PUT has created the record; `status` is that of an update. */
  readonly createdStatus?: 201;
  /** Null if the response has no body. */
  readonly result: AnySchema | null;
  /** Top-level fields of the result that are shown only once: a replay with the same idempotency key omits them. */
  readonly shownOnce?: readonly string[];
  /** The status for keys of a partner application that is disabled or disconnected. Default: 403. */
  readonly disabledApplicationStatus?: 401;
  /** Error codes in addition to those common to all operations of its kind (`listErrorCodes`). */
  readonly errors?: readonly ErrorCode[];
  readonly example?: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

type Definition = Omit<Operation, 'id' | 'method' | 'path' | 'status'> & Partial<Pick<Operation, 'status'>>;

/** An operation with its literal types. Its status is 200, or 204 without a result, unless the definition has another one. */
export const defineOperation = <const I extends string, const M extends Method, const P extends string, const D extends Definition>(
  id: I,
  method: M,
  path: P,
  definition: D,
): { readonly id: I; readonly method: M; readonly path: P } & Pick<Operation, 'status'> & D => ({
  id,
  method,
  path,
  status: definition.result === null ? 204 : 200,
  ...definition,
});

export type AdminDefinition = Omit<Definition, 'scope'>;

/** An operation of the admin API, which knows no scopes. */
export const defineAdminOperation = <
  const I extends string,
  const M extends Method,
  const P extends `/admin/${string}`,
  const D extends AdminDefinition,
>(
  id: I,
  method: M,
  path: P,
  definition: D,
) => defineOperation(id, method, path, { scope: null, ...definition });

/** The types of an operation's parts as handlers receive them: with defaults applied, absent parts `undefined`. */
export type ParamsOf<O> = O extends { params: infer S } ? Infer<S> : undefined;
export type QueryOf<O> = O extends { query: infer S } ? Infer<S> : undefined;
export type BodyOf<O> = O extends { body: infer S } ? Infer<S> : undefined;
export type ResultOf<O> = O extends { result: infer S } ? (S extends null ? undefined : Infer<S>) : undefined;
/** The types that a client sends. */
export type QueryInput<O> = O extends { query: infer S } ? Input<S> : undefined;
export type BodyInput<O> = O extends { body: infer S } ? Input<S> : undefined;

/** Whether the operation requires an Idempotency-Key: C-4, rule 2. */
export const isIdempotent = (op: Pick<Operation, 'method'>): boolean => op.method === 'POST' || op.method === 'PATCH';

/** Whether requests have a body. A PUT needs no key to be repeated. */
export const hasBody = (op: Pick<Operation, 'method'>): boolean => isIdempotent(op) || op.method === 'PUT';

/** Whether the operation returns a list of rows. */
const isList = ({ method, result }: Operation): boolean =>
  method === 'GET' && result?.kind === 'object' && result.properties['data']?.kind === 'array';

/** The description of an operation, with what follows from its definition; empty if there is nothing to describe. */
export function describeOperation(op: Operation): string {
  const isUnsearchable = isList(op) && op.query?.properties['search'] === undefined;
  return [op.description, isUnsearchable ? 'This list does not support `search`.' : undefined].filter(Boolean).join(' ');
}

/** The error codes that distinguish the operation from others; all other codes are common to many operations. */
export const listSpecificErrorCodes = (op: Operation): readonly ErrorCode[] => [
  ...(op.plan ? (['PLAN_REQUIRED'] as const) : []),
  ...(op.params ? (['NOT_FOUND'] as const) : []),
  ...(op.errors ?? []),
];

/** All error codes that the operation can return. */
export function listErrorCodes(op: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'VALIDATION_FAILED',
    'AMBIGUOUS_CREDENTIALS',
    'UNAUTHENTICATED',
    'ORIGIN_NOT_ALLOWED',
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'UNAVAILABLE',
  ]);
  if (op.disabledApplicationStatus === undefined) codes.add('APPLICATION_DISABLED');
  if (op.scope) codes.add('SCOPE_REQUIRED');
  // The body of a DELETE is ignored, but is read with the same limits.
  if (op.method !== 'GET') for (const code of ['STORE_UNAVAILABLE', 'PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT'] as const) codes.add(code);
  if (isIdempotent(op)) {
    for (const code of [
      'MALFORMED_JSON',
      'IDEMPOTENCY_KEY_REQUIRED',
      'IDEMPOTENCY_KEY_INVALID',
      'CONFLICT',
      'IDEMPOTENCY_IN_PROGRESS',
      'UNSUPPORTED_MEDIA_TYPE',
    ] as const)
      codes.add(code);
  } else if (hasBody(op)) for (const code of ['MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code);
  for (const code of listSpecificErrorCodes(op)) codes.add(code);
  return [...codes];
}

/** Marks a field as an extension of the given contract. */
export const extension = <S extends AnySchema>(schema: S, description: string) => t.extension(describe(schema, description));

/** `{ data: <resource> }` */
export const single = <S extends AnySchema>(schema: S) => t.object({ data: schema });

/** A field of all replies but those to requests with a cursor. Its type ignores these, because requests with a page are more frequent. */
const withoutCursor = <S extends AnySchema>(schema: S): S => ({ ...schema, optional: true });

export const pagination = t.component('Pagination', {
  page: withoutCursor(t.int({ min: 1 })),
  pageSize: t.int({ min: 1 }),
  total: withoutCursor(t.int({ min: 0 })),
  totalPages: withoutCursor(t.int({ min: 0 })),
  nextCursor: t.optional(
    extension(t.nullable(t.string()), 'Instead of page numbers in a request with `cursor`: where to continue; null after the last row.'),
  ),
  hasMore: t.optional(extension(t.bool(), 'In a request with `cursor`: whether rows follow.')),
});
export type Pagination = Infer<typeof pagination>;

/** `{ data: [<resource>], pagination }` */
export const paginated = <S extends AnySchema>(schema: S) => t.object({ data: t.array(schema), pagination });

export const tombstone = t.component('Tombstone', { id: t.uuid(), deletedAt: t.timestamp() });
export type Tombstone = Infer<typeof tombstone>;

/** `paginated` of a list that has `include_deleted`. */
export const paginatedWithDeleted = <S extends AnySchema>(schema: S) =>
  t.object({
    data: t.array(schema),
    deleted: t.optional(extension(t.array(tombstone), 'With `include_deleted`: records that were deleted since; after the last row.')),
    pagination,
  });

/** The parameter of such a list. */
export const includeDeleted = () =>
  t.optional(
    extension(
      queryBoolean(),
      'With `updated_since` and `cursor`: the pages after the last row list in `deleted` what was deleted since, as long as events are kept; ' +
        'after that the request fails with CURSOR_EXPIRED. Continue from the newest `updatedAt` of the rows.',
    ),
  );

/** The query parameters of a list with page numbers. `sorts` lists the sort keys; the first, with its sign, is the default (D-21). */
export function pageQuery<const S extends readonly string[]>(sorts: S) {
  const keys = [...new Set(sorts.map((key) => key.replace(/^-/u, '')))];
  const values = [sorts[0] ?? '', ...keys.flatMap((key) => [key, `-${key}`])].filter(
    (key, at, all) => key !== '' && all.indexOf(key) === at,
  );
  return {
    page: t.withDefault(t.annotate(t.int({ min: 1 }), { description: 'Page number, from 1.' }), 1),
    page_size: t.withDefault(t.annotate(t.int({ min: 1, max: PAGE_SIZE_MAX }), { description: 'Rows per page.' }), PAGE_SIZE_DEFAULT),
    search: t.optional(t.annotate(t.string({ max: SEARCH_MAX_CHARS }), { description: 'Text to search for, ignoring case and accents.' })),
    updated_since: t.optional(extension(t.timestamp(), 'Only rows changed at or after this time.')),
    created_since: t.optional(extension(t.timestamp(), 'Only rows created at or after this time.')),
    updated_until: t.optional(extension(t.timestamp(), 'Only rows changed before this time.')),
    created_until: t.optional(extension(t.timestamp(), 'Only rows created before this time.')),
    sort: t.withDefault(
      extension(t.enums(values), 'Sort key; a leading minus sorts in descending order. Ties are sorted by id.'),
      values[0] ?? '',
    ),
  } satisfies Record<string, AnySchema>;
}

/** The order by time of creation. */
export const CREATION = 'created_at';
/** With a cursor rows come by time of creation, which no change moves; where the list has no such order, in its default one. */
const getCursorSort = (sorts: readonly string[]): string =>
  sorts[0] === `-${CREATION}` ? sorts[0] : sorts.includes(CREATION) ? CREATION : (sorts[0] ?? '');

/** The query parameters of a list of /v1: with page numbers or a cursor. `cursorSort`: the default order with a cursor. */
export function listQuery<const S extends readonly string[]>(sorts: S, cursorSort = getCursorSort(sorts)) {
  const { page, sort, ...query } = pageQuery(sorts);
  return {
    ...query,
    cursor: t.optional(
      extension(
        t.string({ max: CURSOR_MAX_CHARS, pattern: '^[A-Za-z0-9_-]*$', hint: 'empty or the `nextCursor` of a page' }),
        'Instead of `page`: empty to begin, then the `nextCursor` of each page. A row that exists throughout is listed exactly once ' +
          'while others write, unless it moves in the order of `sort`. With `updated_since` and `sort=updated_at` every change is listed at least once.',
      ),
    ),
    // Both have their defaults only without a cursor.
    page: t.annotate(page, { defaultWithCursor: null }),
    sort: t.annotate(sort, {
      description: `${sort.description ?? ''} Default with \`cursor\`: by time of creation.`,
      defaultWithCursor: cursorSort,
    }),
  };
}

/** A filter by several ids. */
export const idsFilter = (kind: RecordKind) => t.optional(extension(t.csv(t.id(kind)), 'Only these records, joined by commas.'));

/** A boolean query parameter. */
export const queryBoolean = (): Schema<boolean> => t.bool();

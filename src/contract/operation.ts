/** An operation is a fact: method, path, scope, shapes. Routes, catalog, descriptions, client and tools derive from it. */
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, SEARCH_MAX_CHARS } from './limits.ts';
import type { ErrorCode } from './errors.ts';
import { type AnySchema, type Infer, type Input, type ObjectSpec, type Schema, t } from './schema.ts';
import type { Plan, Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Operation {
  /** Also the capability id of the catalog and of the usage counters. */
  readonly id: string;
  readonly method: Method;
  /** With `{name}` parameters. `/v1/…`, or `/admin/…` for the local settings plane. */
  readonly path: string;
  /** Null: any valid key may call it. */
  readonly scope: Scope | null;
  /** The smallest plan that has the operation; none: every plan. */
  readonly plan?: Plan;
  readonly summary: string;
  readonly description?: string;
  readonly params?: ObjectSpec;
  readonly query?: ObjectSpec;
  readonly body?: ObjectSpec;
  /** The status of success. */
  readonly status: 200 | 201 | 204;
  /** Null: no body. */
  readonly result: AnySchema | null;
  /** Top-level fields of the result that are shown once: a replay under the same idempotency key leaves them out. */
  readonly shownOnce?: readonly string[];
  /** Codes of its own, beside those that every operation of its kind can answer (`errorsOf`). */
  readonly errors?: readonly ErrorCode[];
  readonly example?: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

export const operation = <const O extends Operation>(facts: O): O => facts;

/** The types of an operation's parts as a handler sees them: defaults filled in, absent parts `undefined`. */
export type ParamsOf<O> = O extends { params: infer S } ? Infer<S> : undefined;
export type QueryOf<O> = O extends { query: infer S } ? Infer<S> : undefined;
export type BodyOf<O> = O extends { body: infer S } ? Infer<S> : undefined;
export type ResultOf<O> = O extends { result: infer S } ? (S extends null ? undefined : Infer<S>) : undefined;
/** The types a caller sends. */
export type QueryInput<O> = O extends { query: infer S } ? Input<S> : undefined;
export type BodyInput<O> = O extends { body: infer S } ? Input<S> : undefined;

/** Writes that need an Idempotency-Key: contract part 4, rule 2. */
export const isIdempotent = (op: Pick<Operation, 'method'>): boolean => op.method === 'POST' || op.method === 'PATCH';

/** Every code the operation can answer, sorted by status. */
export function errorsOf(op: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'VALIDATION_FAILED',
    'AMBIGUOUS_CREDENTIALS',
    'UNAUTHENTICATED',
    'APPLICATION_DISABLED',
    'ORIGIN_NOT_ALLOWED',
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'UNAVAILABLE',
  ]);
  if (op.scope) codes.add('SCOPE_REQUIRED');
  if (op.plan) codes.add('PLAN_REQUIRED');
  if (op.params) codes.add('NOT_FOUND');
  // The body of a DELETE says nothing, but is read and has the same bounds.
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
  }
  for (const code of op.errors ?? []) codes.add(code);
  return [...codes];
}

/** `{ data: <resource> }` */
export const one = <S extends AnySchema>(schema: S) => t.object({ data: schema });

export const pagination = t.about(
  t.object({ page: t.int({ min: 1 }), pageSize: t.int({ min: 1 }), total: t.int({ min: 0 }), totalPages: t.int({ min: 0 }) }),
  { name: 'Pagination' },
);
export type Pagination = Infer<typeof pagination>;

/** `{ data: [<resource>], pagination }` */
export const pageOf = <S extends AnySchema>(schema: S) => t.object({ data: t.array(schema), pagination });

/** The query parameters of every page-based list; `sorts` are its sort keys, the first (with its sign) is the default (D-21). */
export function listQuery<const S extends readonly string[]>(sorts: S) {
  const keys = [...new Set(sorts.map((key) => key.replace(/^-/u, '')))];
  const values = [sorts[0] ?? '', ...keys.flatMap((key) => [key, `-${key}`])].filter(
    (key, at, all) => key !== '' && all.indexOf(key) === at,
  );
  return {
    page: t.withDefault(t.about(t.int({ min: 1 }), { description: 'Page number, from 1.' }), 1),
    page_size: t.withDefault(t.about(t.int({ min: 1, max: PAGE_SIZE_MAX }), { description: 'Rows per page.' }), PAGE_SIZE_DEFAULT),
    search: t.optional(t.about(t.string({ max: SEARCH_MAX_CHARS }), { description: 'Text to find, anywhere, in any case.' })),
    updated_since: t.optional(extension(t.timestamp(), 'Only rows changed at or after this instant.')),
    created_since: t.optional(extension(t.timestamp(), 'Only rows created at or after this instant.')),
    sort: t.withDefault(extension(t.enums(values), 'Sort key; a leading minus sorts backwards. Ties are broken by id.'), values[0] ?? ''),
  } satisfies Record<string, AnySchema>;
}

/** A filter or option beyond the given contract. */
export const extension = <S extends AnySchema>(schema: S, description: string): S => t.about(schema, { extension: true, description });

/** A boolean of a query string. */
export const flag = (): Schema<boolean> => t.bool();

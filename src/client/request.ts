/** Builds the request for an operation of the contract. */
import type { BodyInput, Operation, ParamsOf, QueryInput } from '../contract/operation.ts';

/** A value of a query string; lists are joined by commas, undefined is omitted. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** The parts of a request without static types, as from a command line. */
export interface LooseParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
}

type IsOptional<T> = Partial<T> extends T ? true : false;
type Part<K extends string, T> = [T] extends [undefined]
  ? { readonly [key in K]?: undefined }
  : IsOptional<T> extends true
    ? { readonly [key in K]?: T }
    : { readonly [key in K]: T };

/** The parts that an operation needs, typed by the contract. */
export type PartsOf<O> = Part<'params', ParamsOf<O>> & Part<'query', QueryInput<O>> & Part<'body', BodyInput<O>>;

export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function toRequest(op: Pick<Operation, 'method' | 'path'>, { params = {}, query = {}, body }: LooseParts = {}): ApiRequest {
  const path = op.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`Missing ${name} in ${op.path}`);
    return encodeURIComponent(value);
  });
  const request = { method: op.method, path: path + toQueryString(query) };
  return body === undefined ? request : { ...request, body: JSON.stringify(body, rejectNonFinite) };
}

/** JSON.stringify writes null for NaN and Infinity, which would clear a field. */
function rejectNonFinite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name} is ${String(value)}, which JSON cannot represent`);
  return value;
}

/** `?a=1&b=x,y`, or an empty string. */
export function toQueryString(query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = Array.isArray(value) ? value.join(',') : String(value);
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text).replaceAll('%2C', ',')}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

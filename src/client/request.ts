/** From an operation of the contract and its parts to the request that performs it. */
import type { BodyInput, Operation, ParamsOf, QueryInput } from '../contract/operation.ts';

/** A value of a query string; lists are joined by commas, undefined is left out. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** The parts of a request when their types are not known, as from a command line. */
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
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function requestOf(op: Pick<Operation, 'method' | 'path'>, { params = {}, query = {}, body }: LooseParts = {}): ApiRequest {
  const path = op.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`${op.path} needs ${name}`);
    return encodeURIComponent(value);
  });
  const request = { method: op.method, path: path + queryText(query) };
  return body === undefined ? request : { ...request, body: JSON.stringify(body, sayable) };
}

/** JSON writes null for them, which clears a field. */
function sayable(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name} is ${String(value)}, which no request can say`);
  return value;
}

/** `?a=1&b=x,y`, or nothing. */
export function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = Array.isArray(value) ? value.join(',') : String(value);
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text).replaceAll('%2C', ',')}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** One method per operation of the contract, `items.ingredients.list` as `client.items.ingredients.list(…)`, typed by it. */
import type { BodyInput, Operation, QueryInput, ResultOf } from '../contract/operation.ts';
import type { Client, SendOptions } from './client.ts';
import { type ListRequest, createListRequest, sendOperation } from './lists/list-request.ts';
import type { PaginationOptions } from './lists/pages.ts';
import type { LooseParts } from './request.ts';

/** The last argument of every method. */
export interface CallOptions extends SendOptions, PaginationOptions {}

type IsOptional<T> = Partial<T> extends T ? true : false;
/** The ids of the path, outermost first. */
type Ids<Path> = Path extends `${string}{${string}}${infer Rest}`
  ? Rest extends `${string}{${string}`
    ? [parentId: string, id: string]
    : [id: string]
  : [];
/** The compiler would accept any field of an object type without fields. */
type Part<T> = keyof T extends never ? Readonly<Record<string, never>> : T;
type Body<O> = [BodyInput<O>] extends [undefined]
  ? []
  : IsOptional<BodyInput<O>> extends true
    ? [body?: Part<BodyInput<O>>]
    : [body: BodyInput<O>];
type Query<O> = [QueryInput<O>] extends [undefined]
  ? []
  : IsOptional<QueryInput<O>> extends true
    ? [query?: Part<QueryInput<O>>]
    : [query: QueryInput<O>];
type Result<O> = [ResultOf<O>] extends [undefined]
  ? Promise<void>
  : ResultOf<O> extends { readonly data: readonly unknown[]; readonly pagination: unknown }
    ? ListRequest<ResultOf<O>>
    : Promise<ResultOf<O>>;

/** With a body, the query is an option, so that parameters that an operation gets later move no argument. */
type Options<O> = [QueryInput<O>] extends [undefined] ? CallOptions : CallOptions & { readonly query?: Part<QueryInput<O>> };
/** The ids of the path, then the body or the query, then options. */
type Args<O extends Operation> = [
  ...Ids<O['path']>,
  ...(Body<O> extends [] ? [...Query<O>, options?: CallOptions] : [...Body<O>, options?: Options<O>]),
];

/** Inferred, so that editors show arguments and result instead of the operation. */
type MethodOf<Op extends Operation> = Op extends infer O extends Operation ? (...args: Args<O>) => Result<O> : never;

type Camel<S extends string> = S extends `${infer A}_${infer B}` | `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type First<Id> = Id extends `${infer Head}.${string}` ? Head : never;
type Below<Id, Path extends string> = Id extends `${Path}.${infer Rest}` ? (Rest extends `${infer Head}.${string}` ? Head : Rest) : never;
type Group<O extends Operation, Path extends string> = {
  readonly [Name in Below<O['id'], Path> as Camel<Name>]: `${Path}.${Name}` extends O['id']
    ? MethodOf<Extract<O, { id: `${Path}.${Name}` }>>
    : Group<O, `${Path}.${Name}`>;
};

/** The methods of a union of operations, grouped by the parts of their ids. */
export type Methods<O extends Operation> = { readonly [Head in First<O['id']> as Camel<Head>]: Group<O, Head> };

export function createMethods<const O extends Operation>(client: Client, operations: readonly O[]): Methods<O> {
  const root: Record<string, unknown> = {};
  for (const op of operations) {
    const path = op.id.split('.').map(toCamelCase);
    const name = path.pop() ?? '';
    let group = root;
    for (const part of path) group = (group[part] ??= {}) as Record<string, unknown>;
    group[name] = createMethod(client, op);
  }
  // Built by the same naming rules as the type.
  return root as Methods<O>;
}

function createMethod(client: Client, op: Operation): (...args: readonly unknown[]) => unknown {
  const names = [...op.path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
  const isList = op.result?.kind === 'object' && 'pagination' in op.result.properties;
  return (...args) => {
    let at = names.length;
    const body = op.body ? (args[at++] ?? {}) : undefined;
    type LooseQuery = NonNullable<LooseParts['query']>;
    const given = op.query && !op.body ? ((args[at++] ?? {}) as LooseQuery) : undefined;
    const { query = given ?? {}, ...options } = (args[at] ?? {}) as CallOptions & { readonly query?: LooseQuery };
    const parts = (): LooseParts => {
      const params = Object.fromEntries(names.map((name, index) => [name, requireId(op, name, args[index])]));
      return { params, ...(op.query && { query }), ...(body !== undefined && { body }) };
    };
    return isList ? createListRequest(client, op, parts, options) : sendOperation(client, op, parts, options);
  };
}

/** An empty id would lead to the path of another operation. */
function requireId({ id }: Operation, name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${id}: ${name} must be a non-empty string`);
  return value;
}

const toCamelCase = (name: string): string => name.replaceAll(/[_-](\w)/gu, (_match, letter: string) => letter.toUpperCase());

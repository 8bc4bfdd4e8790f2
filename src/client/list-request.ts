/** A lazy request for a list: await it for one page, or iterate over all rows. */
import type { Operation } from '../contract/operation.ts';
import type { Client, SendOptions } from './client.ts';
import { type PaginationOptions, followPagination } from './pages.ts';
import { type LooseParts, toRequest } from './request.ts';

/**
 * What `list` methods return. Nothing is sent until it is used:
 *
 *     const { data, pagination } = await client.items.list({ search: 'bolt' });   // one page
 *     for await (const item of client.items.list({ search: 'bolt' })) …           // every row, page by page
 *     for await (const page of client.items.list().pages()) …                     // every page
 */
export interface ListRequest<Body extends { readonly data: readonly unknown[] }>
  extends PromiseLike<Body>, AsyncIterable<Body['data'][number]> {
  /** All pages from the requested one on, of maximum size unless `page_size` or `limit` is set. */
  pages(): AsyncIterable<Body>;
  /** Fetches all rows, for lists that fit into memory. */
  all(): Promise<Body['data'][number][]>;
  catch<T = never>(onRejected: (reason: unknown) => T | PromiseLike<T>): Promise<Body | T>;
  finally(onFinally: () => void): Promise<Body>;
}

type AnyBody = { readonly data: readonly unknown[] };

/** `getParts` throws if the arguments are invalid, which rejects the promise or the iteration. */
export function createListRequest(
  client: Client,
  op: Operation,
  getParts: () => LooseParts,
  options: SendOptions & PaginationOptions,
): ListRequest<AnyBody> {
  let page: Promise<AnyBody> | undefined;
  const fetch = async (): Promise<AnyBody> => {
    const { headers } = options;
    return (await client.send({ ...toRequest(op, getParts()), ...(headers && { headers }) }, options)).body as AnyBody;
  };
  const fetchOnce = (): Promise<AnyBody> => (page ??= fetch());
  const size = getMaxPageSize(op);
  const pages = async function* () {
    const parts = getParts();
    yield* followPagination(client, toRequest(op, { ...parts, query: { ...size, ...parts.query } }).path, options);
  };
  const rows = async function* () {
    for await (const { data } of pages()) yield* data;
  };
  return {
    // Makes the list awaitable; it is an async iterable, too.
    then: (onFulfilled, onRejected) => fetchOnce().then(onFulfilled, onRejected),
    catch: (onRejected) => fetchOnce().catch(onRejected),
    finally: (onFinally) => fetchOnce().finally(onFinally),
    pages,
    async all() {
      const all: unknown[] = [];
      for await (const { data } of pages()) all.push(...data);
      return all;
    },
    [Symbol.asyncIterator]: rows,
  };
}

/** Returns the parameter for the page size with its maximum. */
function getMaxPageSize({ query }: Operation): NonNullable<LooseParts['query']> {
  for (const name of ['page_size', 'limit']) {
    const spec = query?.properties[name];
    if (spec?.kind === 'number') return { [name]: spec.max };
  }
  return {};
}

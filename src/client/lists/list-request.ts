/** A lazy request for a list: await it for one page, or iterate over all rows. */
import type { Operation } from '../../contract/operation.ts';
import type { Client, SendOptions } from '../client.ts';
import { type FetchPage, readCompleteList } from './complete-list.ts';
import { type PaginationOptions, followPagination, readPage } from './pages.ts';
import { type LooseParts, toRequest } from '../request.ts';

/**
 * What `list` methods return. Nothing is sent until it is used:
 *
 *     const { data, pagination } = await client.items.list({ search: 'bolt' });   // one page
 *     for await (const item of client.items.list({ search: 'bolt' })) …           // every row, page by page
 *     for await (const page of client.items.list().pages()) …                     // every page
 *
 * Iterating misses and repeats no row that exists throughout, whatever is written meanwhile. Rows come by time of creation, or in the order
 * of `sort`; those that moved in it while the list was read may come last.
 */
export interface ListRequest<Body extends { readonly data: readonly unknown[] }>
  extends PromiseLike<Body>, AsyncIterable<Body['data'][number]> {
  /**
   * All pages, of at most `page_size` or `limit` rows. With `page`, the pages from that one on as the service numbers them, which shift when
   * others write; with `cursor`, those from there on, which do not.
   */
  pages(): AsyncIterable<Body>;
  /** Fetches all rows, for lists that fit into memory. */
  all(): Promise<Body['data'][number][]>;
  catch<T = never>(onRejected: (reason: unknown) => T | PromiseLike<T>): Promise<Body | T>;
  finally(onFinally: () => void): Promise<Body>;
}

/** Async, so that invalid arguments reject the promise. */
export async function sendOperation(
  client: Client,
  op: Operation,
  getParts: () => LooseParts,
  options: SendOptions & PaginationOptions,
): Promise<unknown> {
  return (await client.send({ ...toRequest(op, getParts()), headers: options.headers }, options)).body;
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
  const fetchOnce = (): Promise<AnyBody> => (page ??= sendOperation(client, op, getParts, options) as Promise<AnyBody>);
  const size = getMaxPageSize(op);
  const pages = async function* (): AsyncGenerator<AnyBody> {
    const parts = getParts();
    const query = { ...size, ...parts.query };
    // From a given page or cursor on, as the service numbers them.
    if (query['page'] !== undefined || query['cursor'] !== undefined || query['page_size'] === undefined) {
      yield* followPagination(client, toRequest(op, { ...parts, query }).path, options);
      return;
    }
    const fetchPage: FetchPage = async (position) => {
      const request = toRequest(op, { ...parts, query: { ...query, ...position } });
      return readPage(request.path, (await client.send({ ...request, headers: options.headers }, options)).body);
    };
    yield* readCompleteList({ op, fetch: fetchPage, sort: query['sort'] as string | undefined, pageSize: Number(query['page_size']) });
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

/** A list that has been asked for but not yet fetched: await it for one page, or walk through all of it. */
import type { Operation } from '../contract/operation.ts';
import type { Client, SendOptions } from './client.ts';
import { type WalkOptions, walk } from './pages.ts';
import { type LooseParts, requestOf } from './request.ts';

/**
 * What `list` methods return. Nothing is sent until it is used:
 *
 *     const { data, pagination } = await client.items.list({ search: 'bolt' });   // one page
 *     for await (const item of client.items.list({ search: 'bolt' })) …           // every row, page by page
 *     for await (const page of client.items.list().pages()) …                     // every page
 */
export interface ListRequest<Body extends { readonly data: readonly unknown[] }>
  extends PromiseLike<Body>, AsyncIterable<Body['data'][number]> {
  /** Every page from the asked one on, the largest there are unless `page_size` or `limit` says otherwise. */
  pages(): AsyncIterable<Body>;
  /** Every row of every page at once; for lists that fit into memory. */
  all(): Promise<Body['data'][number][]>;
  catch<T = never>(onRejected: (reason: unknown) => T | PromiseLike<T>): Promise<Body | T>;
  finally(onFinally: () => void): Promise<Body>;
}

type AnyBody = { readonly data: readonly unknown[] };

/** `partsOf` throws when no request can be made; whoever uses the list hears of it. */
export function listRequest(
  client: Client,
  op: Operation,
  partsOf: () => LooseParts,
  options: SendOptions & WalkOptions,
): ListRequest<AnyBody> {
  let page: Promise<AnyBody> | undefined;
  const fetch = async (): Promise<AnyBody> => {
    const { headers } = options;
    return (await client.send({ ...requestOf(op, partsOf()), ...(headers && { headers }) }, options)).body as AnyBody;
  };
  const fetchOnce = (): Promise<AnyBody> => (page ??= fetch());
  const size = largestPage(op);
  const pages = async function* () {
    const parts = partsOf();
    yield* walk(client, requestOf(op, { ...parts, query: { ...size, ...parts.query } }).path, options);
  };
  const rows = async function* () {
    for await (const { data } of pages()) yield* data;
  };
  return {
    // A list is awaited like a promise and walked through like an array: `then` is what makes the first possible.
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

/** The parameter that sets the size of a page, at its largest. */
function largestPage({ query }: Operation): NonNullable<LooseParts['query']> {
  for (const name of ['page_size', 'limit']) {
    const spec = query?.properties[name];
    if (spec?.kind === 'number') return { [name]: spec.max };
  }
  return {};
}

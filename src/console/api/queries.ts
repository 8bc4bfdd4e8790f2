/** Reads of the API, cached: single results, and lists that are read page by page. */
import { QueryClient, type UseQueryResult, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { PartsOf } from '../../client/request.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { getOrganization } from '../../contract/resources/organization.ts';
import { call, callAny, readPatiently } from './client.ts';

const PAGE_SIZE = 100;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client has tried again already. What fails because the service is away is read again when it is back.
      retry: false,
      staleTime: 1_000,
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
  },
});

interface ReadOptions {
  readonly enabled?: boolean;
  readonly refetchInterval?: number;
}

/** Reads an operation. Its result is read again when an event says that it may have changed. */
export const useOperation = <const O extends Operation>(op: O, parts: PartsOf<O>, options: ReadOptions = {}): UseQueryResult<ResultOf<O>> =>
  useQuery({
    queryKey: [op.id, parts],
    queryFn: ({ signal }) => call(op, parts, { signal }),
    placeholderData: keepPreviousData,
    ...options,
  });

export type Row = Readonly<Record<string, unknown>>;

export interface Page {
  readonly data: readonly Row[];
  readonly pagination: { readonly total?: number; readonly totalPages?: number; readonly page?: number };
}

export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** Reads a list page by page. */
export const useList = (op: Operation, query: ListQuery) =>
  useInfiniteQuery({
    queryKey: [op.id, 'pages', query],
    queryFn: async ({ pageParam }) => (await callAny(op, { query: { ...query, page: pageParam, page_size: PAGE_SIZE } })) as Page,
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page = 1, totalPages = 1 } }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: keepPreviousData,
  });

/** All rows of a list, for a file. */
export async function readAll(op: Operation, query: ListQuery): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const { data, pagination } = (await readPatiently(op, { query: { ...query, page, page_size: 200 } })) as Page;
    rows.push(...data);
    last = pagination.totalPages ?? 1;
  }
  return rows;
}

/** The tenant of the session: its name, currency and time zone. */
export const useOrganization = (): ResultOf<typeof getOrganization>['data'] | undefined =>
  useQuery({ queryKey: [getOrganization.id], queryFn: () => call(getOrganization, {}), staleTime: 60_000 }).data?.data;

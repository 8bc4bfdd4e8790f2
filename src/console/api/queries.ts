/** Reads of the API, cached: single results, and lists that are read page by page. */
import { QueryClient, type UseQueryResult, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { iteratePages } from '../../client/lists/pages.ts';
import type { PartsOf } from '../../client/request.ts';
import type { Operation, Pagination, ResultOf } from '../../contract/operation.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { getOrganization } from '../../contract/resources/organization.ts';
import { type Access, createAccess, useAccess } from './access.ts';
import { type AnyParts, type Query, call, callAny, sharedClient } from './client.ts';
import { onSessionChange } from './session.ts';
import { type Format, createFormat } from './values.ts';

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
    mutations: { networkMode: 'always' },
  },
});

// Another session may be of another tenant.
onSessionChange(() => queryClient.clear());

interface ReadOptions {
  readonly enabled?: boolean;
  readonly refetchInterval?: number;
}

/** Reads an operation, if the session may. Its result is read again when an event says that it may have changed. */
export function useOperation<const O extends Operation>(
  op: O,
  parts: PartsOf<O>,
  { enabled = true, ...options }: ReadOptions = {},
): UseQueryResult<ResultOf<O>> {
  const { can } = useAccess();
  return useQuery({
    queryKey: [op.id, parts],
    queryFn: ({ signal }) => call(op, parts, { signal }),
    placeholderData: keepPreviousData,
    enabled: enabled && can(op),
    ...options,
  });
}

/** What a change would do. */
export const useDryRun = <const O extends Operation>(op: O, parts: AnyParts, enabled = true): UseQueryResult<ResultOf<O>> =>
  useQuery({
    queryKey: [op.id, 'dry run', parts],
    queryFn: async () => (await callAny(op, { ...parts, query: { ...parts.query, dry_run: true } })) as ResultOf<O>,
    placeholderData: keepPreviousData,
    gcTime: 0,
    enabled,
  });

/** The rows of a list, which are read page by page, in the type that the caller names. */
export function useList<T>(op: Operation, query: Query) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [op.id, 'pages', query],
    queryFn: async ({ pageParam }) =>
      (await callAny(op, { query: { ...query, page: pageParam, page_size: PAGE_SIZE } })) as { data: readonly T[]; pagination: Pagination },
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, totalPages } }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: keepPreviousData,
  });
  const readNext = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { rows: data?.pages.flatMap((page) => page.data), total: data?.pages.at(-1)?.pagination.total, error, readNext };
}

/** All rows of a list, for a file. */
export async function readAll<T>(op: Operation, query: Query): Promise<readonly T[]> {
  const rows: unknown[] = [];
  for await (const { data } of iteratePages(sharedClient, op, { query })) rows.push(...data);
  return rows as readonly T[];
}

const ACCESS_RETRY_MS = 2_000;

/** What the session may do, which everything else depends on. */
export function useSessionAccess(): { readonly access: Access | undefined; readonly error: unknown } {
  const { data, error } = useQuery({
    queryKey: [getAuthContext.id],
    queryFn: () => call(getAuthContext, {}),
    staleTime: 60_000,
    refetchInterval: ({ state }) => state.data === undefined && ACCESS_RETRY_MS,
  });
  return { access: useMemo(() => data && createAccess(data.data), [data]), error };
}

/** The tenant of the session: its name, currency and time zone. */
export function useOrganization(): ResultOf<typeof getOrganization>['data'] | undefined {
  const enabled = useAccess().can(getOrganization);
  return useQuery({ queryKey: [getOrganization.id], queryFn: () => call(getOrganization, {}), staleTime: 60_000, enabled }).data?.data;
}

/** The format of the tenant of the session. */
export function useFormat(): Format {
  const { currency, timezone } = useOrganization() ?? {};
  return useMemo(() => createFormat(currency, timezone), [currency, timezone]);
}

/** Iterates over lists in the order of creation, several pages ahead, for exports and other readers of everything. */
import type { Operation } from '../../contract/operation.ts';
import type { Client } from '../client.ts';
import type { ListBody, PageRange } from './complete-list.ts';
import { createMalformedResponse, isUnsupported } from '../errors.ts';
import { createPageProgress } from './page-progress.ts';
import { type Row, openWindow } from './page-window.ts';
import { type Cursor, fetchPage, iteratePages, toCursor } from './pages.ts';
import type { LooseParts } from '../request.ts';

export interface Batch {
  readonly rows: readonly unknown[];
  /** Where a later iteration can continue; null if the rows have no time of creation. */
  readonly cursor: Cursor | null;
  readonly total: number;
}

/** Deletions restart a window without a new row, but not so often in a row. */
const FRUITLESS_WINDOWS_MAX = 20;
const EPOCH = '1970-01-01T00:00:00.000Z';

/**
 * Yields every row once, in the order of creation where the service has it, even if others write at the same time. `start`: continue after this
 * row.
 */
export async function* iterateBatches(client: Client, op: Operation, parts: LooseParts, start: Cursor | null): AsyncGenerator<Batch> {
  if ('created_since' in (op.query?.properties ?? {})) {
    try {
      yield* iterateByCreation(client, op, parts, start);
      return;
    } catch (error) {
      // Parameters that extend the given contract. Only the first request can fail like that.
      if (start !== null || !isUnsupported(error, ['sort', 'created_since'])) throw error;
    }
  }
  for await (const { data, pagination } of iteratePages(client, op, parts)) yield { rows: data, cursor: null, total: pagination.total };
}

/**
 * The next pages are requested in advance.
 *
 * When rows before a page are deleted or start to match the filter, the page shifts. Therefore each page overlaps the previous one by a
 * row. If that row is missing, or after some pages, a new window starts: the first page of the rows created since the last row.
 * Only a few percent of the rows are read twice.
 */
async function* iterateByCreation(client: Client, op: Operation, parts: LooseParts, start: Cursor | null): AsyncGenerator<Batch> {
  const checkProgress = createPageProgress(op.path);
  let cursor = start;
  let since = start?.createdAt ?? (parts.query?.['created_since'] as string | undefined) ?? EPOCH;
  let window = openWindowSince(client, op, parts, since);
  let position = 0;
  let yieldedCount = 0;
  let yieldedBefore = 0;
  let repeatedCount = 0;
  let fruitlessWindows = 0;
  const restart = (): void => {
    since = cursor?.createdAt ?? since;
    yieldedBefore = yieldedCount;
    window = openWindowSince(client, op, parts, since);
  };

  for (;;) {
    const page = await window.receive();
    // Windows start again, so that pages have no numbers to compare.
    if (!page.isLast) checkProgress(page.rows, (position += 1));
    if (!page.overlaps) {
      fruitlessWindows = yieldedCount > yieldedBefore ? 0 : fruitlessWindows + 1;
      if (fruitlessWindows > FRUITLESS_WINDOWS_MAX) throw createMalformedResponse(op.path, 'its pages do not overlap');
      restart();
      continue;
    }
    const rows = listRowsAfter(page.rows, cursor);
    yieldedCount += rows.length;
    if (page.isFirst) repeatedCount = page.rows.length - rows.length;
    cursor = toCursor(rows.at(-1)) ?? cursor;
    const total = page.isLast ? yieldedCount : yieldedBefore + page.total - repeatedCount;
    // More rows than a window holds may have the same time.
    const isWindowDone = page.isFull && cursor !== null && cursor.createdAt > since;
    if (!page.isLast && isWindowDone) restart();
    if (!page.isLast) window.request(isWindowDone ? page.rest : page.total);
    yield { rows, cursor, total };
    if (page.isLast) return;
  }
}

const openWindowSince = (client: Client, op: Operation, parts: LooseParts, since: string) =>
  openWindow(({ page, size }: PageRange): Promise<ListBody> => {
    const query = { ...parts.query, sort: 'created_at', created_since: since, page, page_size: size };
    return fetchPage(client, op, { ...parts, query }) as Promise<ListBody>;
  });

const listRowsAfter = (rows: readonly Row[], cursor: Cursor | null): readonly Row[] =>
  cursor === null
    ? rows
    : rows.filter(({ createdAt = '', id }) => createdAt > cursor.createdAt || (createdAt === cursor.createdAt && id > cursor.id));

/** Pages of a list that overlap each other, some of them requested in advance. */
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { type ListBody, type PageRange, findPage } from './complete-list.ts';

export interface Row {
  readonly id: string;
  readonly createdAt?: string;
}

/** Pages requested in advance, while one is processed. */
const PAGES_AHEAD = 2;
/** After this many pages, the page numbers start again from the last row. */
const WINDOW_PAGES = 12;

/** Opens a window and requests its first page. */
export function openWindow(fetch: (at: PageRange) => Promise<ListBody>) {
  const pending: { readonly at: PageRange; readonly body: Promise<ListBody> }[] = [];
  let next: PageRange = { page: 1, size: PAGE_SIZE_MAX };
  let receivedCount = 0;
  let lastId: string | undefined;

  const requestNext = (): void => {
    const body = fetch(next);
    // Awaited later, or never.
    body.catch(() => undefined);
    pending.push({ at: next, body });
    next = findPage(next.page * next.size - 1, PAGE_SIZE_MAX);
  };
  const canRequestAhead = (total: number): boolean =>
    pending.length < PAGES_AHEAD && receivedCount + pending.length < WINDOW_PAGES && (next.page - 1) * next.size < total;
  requestNext();
  return {
    /** Requests the next page, and more in advance if the list has `total` rows. */
    request(total: number): void {
      while (pending.length === 0 || canRequestAhead(total)) requestNext();
    },
    /** Waits for the page that was requested first. */
    async receive() {
      const { at, body } = pending.shift()!;
      const { data, pagination } = await body;
      const rows = data as readonly Row[];
      receivedCount += 1;
      const isFirst = receivedCount === 1;
      const overlaps = isFirst || rows.some(({ id }) => id === lastId);
      lastId = rows.at(-1)?.id;
      return {
        rows,
        /** Number of rows in the list, and of those after this page. */
        total: pagination.total,
        rest: pagination.total - at.page * at.size,
        isFirst,
        /** Whether the list ends with this page. */
        isLast: at.page >= pagination.totalPages,
        /** Whether the window should be followed by another one. */
        isFull: receivedCount >= WINDOW_PAGES,
        /** Whether it overlaps the previous page. If not, rows may be missing between them. */
        overlaps,
      };
    },
  };
}

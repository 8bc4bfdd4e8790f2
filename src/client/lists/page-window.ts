/** Pages of a list that overlap each other, some of them requested in advance. */
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { ListBody } from './complete-list.ts';

export interface Row {
  readonly id: string;
  readonly createdAt?: string;
}

export interface PageRange {
  readonly page: number;
  readonly size: number;
}

interface WindowPage {
  readonly rows: readonly Row[];
  /** Number of rows in the list, and of those after this page. */
  readonly total: number;
  readonly rest: number;
  readonly isFirst: boolean;
  /** Whether the list ends with this page. */
  readonly isLast: boolean;
  /** Whether the window should be followed by another one. */
  readonly isFull: boolean;
  /** Whether it overlaps the previous page. If not, rows may be missing between them. */
  readonly overlaps: boolean;
}

/** The pages of a list, each overlapping the previous one by a row. */
export interface PageWindow {
  /** Requests the next page, and more in advance if the list has `total` rows. */
  request(total: number): void;
  /** Waits for the page that was requested first. */
  receive(): Promise<WindowPage>;
}

/** Pages requested in advance, while one is processed. */
const PAGES_AHEAD = 2;
/** After this many pages, the page numbers start again from the last row. */
const WINDOW_PAGES = 12;
const FIRST_PAGE: PageRange = { page: 1, size: PAGE_SIZE_MAX };

/** Opens a window and requests its first page. */
export function openWindow(fetch: (at: PageRange) => Promise<ListBody>): PageWindow {
  const pending: { readonly at: PageRange; readonly body: Promise<ListBody> }[] = [];
  let next = FIRST_PAGE;
  let receivedCount = 0;
  let lastId: string | undefined;

  const requestNext = (): void => {
    const body = fetch(next);
    // Awaited later, or never.
    body.catch(() => undefined);
    pending.push({ at: next, body });
    next = findPage(next.page * next.size - 1);
  };
  const canRequestAhead = (total: number): boolean =>
    pending.length < PAGES_AHEAD && receivedCount + pending.length < WINDOW_PAGES && (next.page - 1) * next.size < total;
  requestNext();
  return {
    request(total) {
      while (pending.length === 0 || canRequestAhead(total)) requestNext();
    },
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
        total: pagination.total,
        rest: pagination.total - at.page * at.size,
        isFirst,
        isLast: at.page >= pagination.totalPages,
        isFull: receivedCount >= WINDOW_PAGES,
        overlaps,
      };
    },
  };
}

/** Finds the page that contains the row at `offset` and extends furthest beyond it. */
function findPage(offset: number): PageRange {
  let best: PageRange = FIRST_PAGE;
  for (let size = PAGE_SIZE_MAX; size > 1; size -= 1) {
    const page = Math.floor(offset / size) + 1;
    if (page * size > best.page * best.size) best = { page, size };
  }
  return best;
}

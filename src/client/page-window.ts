/** Pages of a list that overlap each other, some of them requested in advance. */
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Pagination } from '../contract/operation.ts';
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
  readonly at: PageRange;
  readonly rows: readonly Row[];
  readonly pagination: Pagination;
  readonly isFirst: boolean;
  /** Whether it overlaps the previous page. If not, rows may be missing between them. */
  readonly overlaps: boolean;
}

/** Pages requested in advance, while one is processed. */
const PAGES_AHEAD = 2;
/** After this many pages, the page numbers start again from the last row. */
const WINDOW_PAGES = 12;
const FIRST_PAGE: PageRange = { page: 1, size: PAGE_SIZE_MAX };

/** The pages of the rows created since a time. Each overlaps the previous one by a row. */
export class PageWindow {
  readonly since: string;
  /** Rows yielded before this window. */
  readonly yieldedBefore: number;
  /** Rows of this window that an earlier one yielded. */
  repeatedCount = 0;
  readonly #fetch: (since: string, at: PageRange) => Promise<ListBody>;
  readonly #pending: { readonly at: PageRange; readonly body: Promise<ListBody> }[] = [];
  #next = FIRST_PAGE;
  #requestedCount = 0;
  #receivedCount = 0;
  /** Id of the last row of the previous page. */
  #lastId: string | undefined;

  /** Requests the first page. */
  constructor(since: string, yieldedBefore: number, fetch: (since: string, at: PageRange) => Promise<ListBody>) {
    this.since = since;
    this.yieldedBefore = yieldedBefore;
    this.#fetch = fetch;
    this.#requestNext();
  }

  get isComplete(): boolean {
    return this.#receivedCount >= WINDOW_PAGES;
  }

  async receive(): Promise<WindowPage> {
    const { at, body } = this.#pending.shift()!;
    const { data, pagination } = await body;
    const rows = data as readonly Row[];
    this.#receivedCount += 1;
    const isFirst = this.#receivedCount === 1;
    const overlaps = isFirst || rows.some(({ id }) => id === this.#lastId);
    this.#lastId = rows.at(-1)?.id;
    return { at, rows, pagination, isFirst, overlaps };
  }

  /** Requests the next page, and more in advance if the window has `total` rows. */
  requestAhead(total: number): void {
    while (this.#canRequest(total)) this.#requestNext();
  }

  #canRequest(total: number): boolean {
    if (this.#requestedCount === this.#receivedCount) return true;
    if (this.#requestedCount >= Math.min(this.#receivedCount + PAGES_AHEAD, WINDOW_PAGES)) return false;
    return (this.#next.page - 1) * this.#next.size < total;
  }

  #requestNext(): void {
    const at = this.#next;
    const body = this.#fetch(this.since, at);
    // Awaited later, or never.
    body.catch(() => undefined);
    this.#pending.push({ at, body });
    this.#requestedCount += 1;
    this.#next = findPage(at.page * at.size - 1);
  }
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

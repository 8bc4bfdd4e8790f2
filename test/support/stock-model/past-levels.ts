/** Stock levels at times in the past, compared with copies that were read then, and with the movements. */
import { expect } from 'vitest';
import type { TestService } from '../service/service.ts';

interface Level {
  readonly itemId: string;
  readonly siteId: string;
  readonly onHand: number;
  readonly averageCost: number | null;
  readonly stockValue: number;
  readonly lastMovementAt: string | null;
}

type Copy = ReadonlyMap<string, Omit<Level, 'itemId' | 'siteId'>>;

const toId = ({ itemId, siteId }: Pick<Level, 'itemId' | 'siteId'>): string => `${itemId} ${siteId}`;
const ALL_TYPES = 'item_type=product,material&page_size=200';

/** The levels that have ever moved. */
async function readLevels(s: TestService, query: string): Promise<Copy> {
  const { body } = await s.get(`/v1/stock-levels?include_zero=true&${ALL_TYPES}${query}`);
  const moved = (body.data as Level[]).filter(({ lastMovementAt }) => lastMovementAt !== null);
  return new Map(
    moved.map(({ onHand, averageCost, stockValue, lastMovementAt, ...key }) => [
      toId(key),
      { onHand, averageCost, stockValue, lastMovementAt },
    ]),
  );
}

interface Movement {
  readonly itemId: string;
  readonly siteId: string;
  readonly sequence: number;
  readonly postedAt: string;
  readonly quantity: number;
  readonly value: number;
  readonly onHandAfter: number;
  readonly stockValueAfter: number;
  readonly averageCostAfter: number | null;
}

async function readMovements(s: TestService): Promise<Movement[]> {
  const found: Movement[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await s.get(`/v1/stock-movements?page_size=50&cursor=${cursor}`);
    found.push(...(body.data as Movement[]));
    cursor = body.pagination.nextCursor as string | null;
  }
  return found;
}

export function createPastLevels(s: TestService) {
  const copies: { readonly time: string; readonly copy: Copy }[] = [];
  return {
    /** Copies the levels, and lets time pass. */
    async remember(): Promise<void> {
      copies.push({ time: s.clock.now().toISOString(), copy: await readLevels(s, '') });
      s.clock.advance(1);
    },
    /** Compares every copy with the levels as of its time, and replays the movements. */
    async compare(): Promise<void> {
      for (const { time, copy } of copies) expect(await readLevels(s, `&as_of=${time}`)).toEqual(copy);
      const movements = await readMovements(s);
      expect(movements.map(({ sequence }) => sequence)).toEqual(movements.map((_, at) => at + 1));
      const replayed = new Map<string, Omit<Level, 'itemId' | 'siteId'>>();
      for (const { quantity, value, onHandAfter, stockValueAfter, averageCostAfter, postedAt, ...key } of movements) {
        const { onHand, stockValue } = replayed.get(toId(key)) ?? { onHand: 0, stockValue: 0 };
        expect([onHand + quantity, stockValue + value]).toEqual([expect.closeTo(onHandAfter, 6), expect.closeTo(stockValueAfter, 6)]);
        replayed.set(toId(key), {
          onHand: onHandAfter,
          averageCost: averageCostAfter,
          stockValue: stockValueAfter,
          lastMovementAt: postedAt,
        });
      }
      expect(await readLevels(s, '')).toEqual(replayed);
    },
  };
}

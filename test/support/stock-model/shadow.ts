/** Copies of the stock levels that know nothing but the events: as a receiver of webhooks keeps one, and as a reader of `GET /v1/events` does. */
import { expect } from 'vitest';
import type { StockEffect } from '../../../src/contract/resources/stock-effects.ts';
import type { StockLevelRecord } from '../../../src/domain/stock/records.ts';
import { type History, MICRO, getPlace } from './model.ts';

interface Quantities {
  readonly onHand: number;
  readonly committed: number;
  readonly available: number;
}

interface Figures extends Quantities {
  readonly incoming: number;
  readonly projected: number;
  readonly averageCost: number | null;
}
type EventData = Figures & {
  readonly sequence: number;
  readonly position: number;
  readonly itemId: string;
  readonly siteId: string;
  readonly stockEffects?: readonly StockEffect[];
};

const toFigures = ({ onHand, committed, incoming, available, projected, averageCost }: StockLevelRecord): Figures => ({
  onHand: onHand / MICRO,
  committed: committed / MICRO,
  incoming: incoming / MICRO,
  available: available / MICRO,
  projected: projected / MICRO,
  averageCost: averageCost === null ? null : averageCost / MICRO,
});

/** Compares the copies, after the events since the last comparison, with the levels. */
export function createShadow(h: History): { compare(): Promise<void> } {
  const copy = new Map<string, Quantities>();
  const levelsByEvent = new Map<string, Figures>();
  let position = 0;
  return {
    async compare() {
      const events = await h.s.changeLog(position);
      for (const event of events.toSorted((a, b) => a.position - b.position)) {
        const { data } = JSON.parse(event.body) as { data: EventData };
        expect([data.sequence, data.position]).toEqual([event.position, event.position]);
        if (event.event === 'stock_level.updated') {
          const { itemId, siteId, onHand, committed, incoming, available, projected, averageCost } = data;
          levelsByEvent.set(getPlace(itemId, siteId), { onHand, committed, incoming, available, projected, averageCost });
        }
        for (const { itemId, siteId, onHandAfter, committedAfter, availableAfter } of data.stockEffects ?? []) {
          copy.set(getPlace(itemId, siteId), { onHand: onHandAfter, committed: committedAfter, available: availableAfter });
        }
        position = event.position;
      }
      const { rows } = await h.s.service.store.read(h.s.tenant.id, (tx) => tx.stockLevels.listAfter({ limit: 10_000 }));
      expect(levelsByEvent).toEqual(
        new Map(
          rows.flatMap((row) =>
            levelsByEvent.has(row.id) || Object.values(toFigures(row)).some((value) => value !== 0 && value !== null)
              ? [[row.id, toFigures(row)]]
              : [],
          ),
        ),
      );
      const levels = rows.map(({ id, onHand, committed, available }) => [
        id,
        { onHand: onHand / MICRO, committed: committed / MICRO, available: available / MICRO },
      ]);
      // A level that only has incoming stock or a reorder point had no effect yet.
      const isKnown = (id: string, level: object) => copy.has(id) || Object.values(level).some((value) => value !== 0);
      expect(copy).toEqual(new Map((levels as [string, Quantities][]).filter(([id, level]) => isKnown(id, level))));
    },
  };
}

/** A copy of the stock levels that knows nothing but the events, as a receiver of webhooks keeps one. */
import { expect } from 'vitest';
import type { StockEffect } from '../../../src/contract/resources/stock-documents.ts';
import { type History, MICRO, getPlace } from './model.ts';

interface Quantities {
  readonly onHand: number;
  readonly committed: number;
  readonly available: number;
}

/** Compares the copy, after the events since the last comparison, with the levels. */
export function createShadow(h: History): { compare(): Promise<void> } {
  const copy = new Map<string, Quantities>();
  let position = 0;
  return {
    async compare() {
      const events = await h.s.events(position);
      for (const event of events.toSorted((a, b) => a.position - b.position)) {
        const { data } = JSON.parse(event.body) as { data: { position: number; stockEffects?: readonly StockEffect[] } };
        expect(data.position).toBe(event.position);
        for (const { itemId, siteId, onHandAfter, committedAfter, availableAfter } of data.stockEffects ?? []) {
          copy.set(getPlace(itemId, siteId), { onHand: onHandAfter, committed: committedAfter, available: availableAfter });
        }
        position = event.position;
      }
      const { rows } = await h.s.service.store.read(h.s.tenant.id, (tx) => tx.stockLevels.listAfter({ limit: 10_000 }));
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

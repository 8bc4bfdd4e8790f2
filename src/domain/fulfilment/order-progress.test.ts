import { expect, test } from 'vitest';
import type { OrderRecord } from '../orders/records.ts';
import type { StockLineRecord } from '../stock/records.ts';
import { applyPostings } from './order-progress.ts';

test('applyPostings rejects a document line whose order line no longer exists, and names both', () => {
  // Only the fields that postings read.
  const order = { orderNumber: 'SO-7' } as OrderRecord;
  const line = { lineNumber: 2, orderLineId: 'gone', itemId: 'item', stockQuantity: 1 } as StockLineRecord;
  expect(() => applyPostings(order, [], [line], 1)).toThrow(
    expect.objectContaining({
      code: 'INVALID_STATE',
      message: 'Line 2 of the document fulfils a line that SO-7 no longer has.',
      details: { lineNumber: 2, orderLineId: 'gone' },
    }),
  );
  expect(applyPostings(order, [], [{ ...line, orderLineId: null }], 1)).toEqual([]);
});

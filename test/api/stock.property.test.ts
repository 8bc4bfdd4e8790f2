import { expect, test } from 'vitest';
import { stockHistories } from '../support/stock-histories.ts';

test('every history of stock is what the model says', { timeout: 120_000 }, async () => {
  await expect(stockHistories({ seed: 20_261_121, numRuns: 16, steps: 35 })).resolves.toBeUndefined();
});

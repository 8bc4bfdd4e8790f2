import { expect, test } from 'vitest';
import { stockHistories } from '../support/stock-histories.ts';

test('many long histories of stock are what the model says', async () => {
  const seed = Number(process.env['SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  await expect(stockHistories({ seed, numRuns: 200, steps: 80 })).resolves.toBeUndefined();
});

import { expect, test } from 'vitest';
import { PROPERTY_TIMEOUT_MS } from '../../support/property.ts';
import { checkStockHistories } from '../../support/stock-model/random-histories.ts';

test('random stock histories match the model', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
  await expect(checkStockHistories()).resolves.toBeUndefined();
});

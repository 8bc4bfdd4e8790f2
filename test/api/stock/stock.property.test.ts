import { expect, test } from 'vitest';
import { PROPERTY_TIMEOUT_MS } from '../../support/property.ts';
import { checkStockHistories } from '../../support/stock-model/random-histories.ts';

test.each(['block', 'allow'] as const)(
  'random stock histories match the model with negative stock %s',
  { timeout: PROPERTY_TIMEOUT_MS },
  async (negativeStock) => {
    await expect(checkStockHistories(negativeStock)).resolves.toBeUndefined();
  },
);

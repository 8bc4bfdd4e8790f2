import { expect, test } from 'vitest';
import { PROPERTY_TIMEOUT_MS } from '../../support/property.ts';
import { useService } from '../../support/service/shared-service.ts';
import { checkValuationHistories } from '../../support/stock-model/valuation-histories.ts';

const s = useService();

test.each(['block', 'allow'] as const)(
  'any history of postings and reversals conserves value and explains every average, with negative stock %s',
  // On a busy machine hundreds of histories take many times as long.
  { timeout: 5 * PROPERTY_TIMEOUT_MS },
  async (negativeStock) => {
    await expect(checkValuationHistories(s, negativeStock, { shortRuns: 40, longRuns: 2_500 })).resolves.toBeUndefined();
  },
);

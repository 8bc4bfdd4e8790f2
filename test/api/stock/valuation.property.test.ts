import { expect, test } from 'vitest';
import { PROPERTY_TIMEOUT_MS } from '../../support/property.ts';
import { hasFileStore } from '../../support/service/service-store.ts';
import { useService } from '../../support/service/shared-service.ts';
import { checkValuationHistories } from '../../support/stock-model/valuation-histories.ts';

const s = useService();

test.each(['block', 'allow'] as const)(
  'any history of postings and reversals conserves value and explains every average, with negative stock %s',
  // Hundreds of histories take seconds, in a database half a second each, and on a busy machine many times as long.
  { timeout: 5 * PROPERTY_TIMEOUT_MS },
  async (negativeStock) => {
    await expect(
      checkValuationHistories(s, negativeStock, { shortRuns: hasFileStore ? 100 : 20, longRuns: 2_500 }),
    ).resolves.toBeUndefined();
  },
);

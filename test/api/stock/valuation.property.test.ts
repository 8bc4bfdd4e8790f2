import { expect, test } from 'vitest';
import { PROPERTY_TIMEOUT_MS } from '../../support/property.ts';
import { useService } from '../../support/service/shared-service.ts';
import { checkValuationHistories } from '../../support/stock-model/valuation-histories.ts';

const s = useService();
/** What a history checks is the domain's; the store only has to keep it, at ten times the cost on PostgreSQL. */
const SHORT_RUNS = process.env['STOCKROOM_TEST_STORE'] === 'postgres' ? 10 : 40;

test.each(['block', 'allow'] as const)(
  'any history of postings and reversals conserves value and explains every average, with negative stock %s',
  // On a busy machine hundreds of histories take many times as long.
  { timeout: 5 * PROPERTY_TIMEOUT_MS },
  async (negativeStock) => {
    await expect(checkValuationHistories(s, negativeStock, { shortRuns: SHORT_RUNS, longRuns: 2_500 })).resolves.toBeUndefined();
  },
);

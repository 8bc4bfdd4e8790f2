import { expect, test } from 'vitest';
import { shouldAutoDisable, updateHealth } from './health.ts';

const WEBHOOK = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';
const AT = '2026-01-01T00:00:00.000Z';

test('shouldAutoDisable requires both 120 hours and ten attempts of failures', () => {
  let health = updateHealth(undefined, WEBHOOK, 'timeout', AT);
  const late = new Date(Date.parse(AT) + 120 * 3_600_000);
  for (let count = 1; count < 10; count += 1) {
    expect(health && shouldAutoDisable(health, late)).toBe(false);
    health = updateHealth(health, WEBHOOK, 'http_500', late.toISOString());
  }
  expect(health && shouldAutoDisable(health, late)).toBe(true);
  expect(health && shouldAutoDisable(health, new Date(late.getTime() - 1))).toBe(false);
  expect(updateHealth(health, WEBHOOK, null, AT)).toBeUndefined();
});

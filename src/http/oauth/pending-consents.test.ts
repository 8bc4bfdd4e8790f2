import { expect, test } from 'vitest';
import { CONSENT_LIFETIME_MIN } from '../../contract/limits.ts';
import { createConsentStore } from './pending-consents.ts';

const START = new Date('2026-03-31T12:00:00Z');
const after = (ms: number): Date => new Date(START.getTime() + CONSENT_LIFETIME_MIN * 60_000 + ms);

test('login codes and proofs are valid until the moment at which they expire', () => {
  const consents = createConsentStore();
  const { code, expiresAt } = consents.createLoginCode(START);
  expect(expiresAt).toBe(after(0).toISOString());
  const proof = consents.redeemLoginCode(code, 'req_1', START);
  expect(consents.isProofValid(proof, 'req_1', after(-1))).toBe(true);
  expect(consents.isProofValid(proof, 'req_1', after(0))).toBe(false);
  expect(consents.redeemLoginCode(code, 'req_1', after(-1))).toBeDefined();
  expect(consents.redeemLoginCode(code, 'req_1', after(0))).toBeUndefined();
});

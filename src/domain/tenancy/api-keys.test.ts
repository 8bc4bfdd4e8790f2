import { describe, expect, it } from 'vitest';
import { hashKey, generateKey } from './api-keys.ts';

describe('API keys', () => {
  it('contain their environment, and only production is live', () => {
    expect(generateKey('production').secret).toMatch(/^pk_live_[0-9A-Za-z]{46}$/u);
    for (const environment of ['staging', 'development', null] as const)
      expect(generateKey(environment).secret).toMatch(/^pk_test_[0-9A-Za-z]{46}$/u);
  });
  it('start with the public prefix, and the hash does not reveal them', () => {
    const { secret, prefix, hash } = generateKey('staging');
    expect(secret.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(16);
    expect(hash).toBe(hashKey(secret));
    expect(hash).not.toContain(secret.slice(16));
  });
  it('are unique', () => {
    const keys = Array.from({ length: 200 }, () => generateKey(null).secret);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

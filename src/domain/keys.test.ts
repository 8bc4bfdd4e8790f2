import { describe, expect, it } from 'vitest';
import { hashKey, makeKey } from './keys.ts';

describe('API keys', () => {
  it('a key names its environment, and only production is live', () => {
    expect(makeKey('production').secret).toMatch(/^pk_live_[0-9A-Za-z]{46}$/u);
    for (const environment of ['staging', 'development', null] as const)
      expect(makeKey(environment).secret).toMatch(/^pk_test_[0-9A-Za-z]{46}$/u);
  });
  it('the prefix is the public beginning and the hash does not show the key', () => {
    const { secret, prefix, hash } = makeKey('staging');
    expect(secret.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(16);
    expect(hash).toBe(hashKey(secret));
    expect(hash).not.toContain(secret.slice(16));
  });
  it('keys do not repeat', () => {
    const keys = Array.from({ length: 200 }, () => makeKey(null).secret);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

import { describe, expect, test } from 'vitest';
import { getStoreUrls, resolveStoreAddress } from './store-address.ts';

const PLAIN = 'postgres://app@db.example:5432/stock?sslmode=require';
const SECRET = 'postgres://app:s3cret@db.example:5432/stock?sslmode=require';

describe('the address of a store', () => {
  test('comes from --store, else from STOCKROOM_STORE, else there is none', () => {
    expect(resolveStoreAddress(PLAIN, { STOCKROOM_STORE: 'postgres://other/db' })).toBe(PLAIN);
    expect(resolveStoreAddress(undefined, { STOCKROOM_STORE: PLAIN })).toBe(PLAIN);
    expect(resolveStoreAddress(undefined, { STOCKROOM_STORE: '' })).toBeUndefined();
    expect(resolveStoreAddress(undefined, {})).toBeUndefined();
  });

  test('is configured without the password, which is added again from the environment', () => {
    expect(resolveStoreAddress(undefined, { STOCKROOM_STORE: SECRET })).toBe(PLAIN);
    expect(getStoreUrls(PLAIN, { STOCKROOM_STORE: SECRET })).toEqual({ url: SECRET });
    expect(getStoreUrls(PLAIN, { STOCKROOM_STORE: 'postgres://app:x@elsewhere/db' })).toEqual({ url: PLAIN });
    expect(getStoreUrls(PLAIN, { STOCKROOM_STORE_LISTEN: SECRET })).toEqual({ url: PLAIN, listenUrl: SECRET });
  });

  test.each([
    [SECRET, 'visible to every user'],
    ['postgres://db/stock?password=s3cret', 'visible to every user'],
    ['mysql://db/stock', 'mysql:// is not supported'],
    ['stock', 'not a postgres:// address'],
    ['postgres://app:#s3cret@db/stock', 'characters that end it early'],
    ['postgres://app:12/s3cret@db/stock', 'characters that end it early'],
    ['postgres://app:?s3cret@db/stock', 'characters that end it early'],
  ])('%s is rejected without repeating it', (text, reason) => {
    expect(() => resolveStoreAddress(text, {})).toThrow(reason);
    expect(() => resolveStoreAddress(text, {})).not.toThrow('s3cret');
  });
});

import { describe, expect, test } from 'vitest';
import { FAULTS_MAX } from '../../contract/limits.ts';
import { type FaultDraft, createFaultRegistry } from './fault-registry.ts';

const OPERATIONS = [
  { method: 'GET', path: '/v1/items' },
  { method: 'POST', path: '/v1/items' },
  { method: 'GET', path: '/v1/items/{item_id}' },
  { method: 'GET', path: '/v1/items/{item_id}/suppliers' },
] as const;
const ANSWER: FaultDraft = { status: 503, latencyMs: 0, retryAfter: null, drop: null, rate: 1, remaining: null, expiresAt: null };

function setup() {
  const at = { now: new Date('2026-01-01T00:00:00Z'), random: 0 };
  let changes = 0;
  const faults = createFaultRegistry({
    now: () => at.now,
    random: () => at.random,
    operations: OPERATIONS,
    onChange: () => void (changes += 1),
  });
  return { at, faults, changes: () => changes };
}
const getError = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('fault target', () => {
  test.each([
    ['GET /v1/items', 'GET', '/v1/items', true],
    ['GET /v1/items', 'POST', '/v1/items', false],
    ['GET /v1/items', 'GET', '/v1/items/7', false],
    ['get   /v1/items', 'GET', '/v1/items', true],
    ['* /v1/items', 'POST', '/v1/items', true],
    ['GET /v1/items/{item_id}', 'GET', '/v1/items/7', true],
    ['GET /v1/items/{item_id}', 'GET', '/v1/items/7/suppliers', false],
    ['GET /v1/items/*/suppliers', 'GET', '/v1/items/7/suppliers', true],
    ['GET /v1/items/7', 'GET', '/v1/items/7', true],
    ['GET /v1/items/7', 'GET', '/v1/items/8', false],
    ['* /v1/*', 'GET', '/v1/items/7/suppliers', true],
  ])('%s matches %s %s: %s', (target, method, path, matches) => {
    const { faults } = setup();
    faults.set(target, ANSWER);
    expect(faults.matchRequest(method, path) !== undefined).toBe(matches);
  });

  test('with a URL matches deliveries to it and below it, and no request', () => {
    const { faults } = setup();
    faults.set('HTTP://127.0.0.1:3000', ANSWER);
    expect(faults.list()).toMatchObject([{ target: 'http://127.0.0.1:3000/' }]);
    expect(faults.matchDelivery('http://127.0.0.1:3000/hooks')).toMatchObject({ status: 503 });
    expect(faults.matchDelivery('http://127.0.0.1:30001/hooks')).toBeUndefined();
    expect(faults.matchRequest('GET', '/v1/items')).toBeUndefined();
  });

  test.each([
    ['GET /v1/itms', 'no operation matches GET /v1/itms'],
    ['DELETE /v1/items', 'no operation matches DELETE /v1/items; methods of this path: GET, POST'],
    ['/v1/items', 'target must be a method and a path'],
    ['GET', 'target must be a method and a path'],
    ['http://[', "invalid URL 'http://['"],
  ])('%s is rejected with valid alternatives', (target, message) => {
    const { faults, changes } = setup();
    expect(getError(() => faults.set(target, ANSWER))).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining(message),
    });
    expect([faults.hasFaults(), changes()]).toEqual([false, 0]);
  });
});

describe('fault', () => {
  test('triggers at its rate and counts matches and hits', () => {
    const { at, faults } = setup();
    faults.set('GET /v1/items', { ...ANSWER, rate: 0.1 });
    const hits = [0.05, 0.1, 0.9, 0.09].map((random) => {
      at.random = random;
      return faults.matchRequest('GET', '/v1/items') !== undefined;
    });
    expect(hits).toEqual([true, false, false, true]);
    expect(faults.list()).toMatchObject([{ met: 4, hits: 2 }]);
  });

  test('ends after its number of hits or at its expiry, and reports the change', () => {
    const { at, faults, changes } = setup();
    faults.set('GET /v1/items', { ...ANSWER, remaining: 2 });
    faults.set('POST /v1/items', { ...ANSWER, expiresAt: '2026-01-01T00:10:00.000Z' });
    expect([1, 2, 3].map(() => faults.matchRequest('GET', '/v1/items')?.status)).toEqual([503, 503, undefined]);
    expect(changes()).toBe(3);
    at.now = new Date('2026-01-01T00:10:00Z');
    expect(faults.matchRequest('POST', '/v1/items')).toBeUndefined();
    expect([faults.hasFaults(), changes()]).toEqual([false, 4]);
  });

  test('replaces an earlier fault of the same target', () => {
    const { faults } = setup();
    faults.set('GET /v1/items', ANSWER);
    faults.set('get /v1/items', { ...ANSWER, status: 500 });
    expect(faults.list()).toMatchObject([{ status: 500, hits: 0 }]);
  });

  test('adds its latency to that of other faults, and the first with a status decides', () => {
    const { faults } = setup();
    faults.set('* /v1/*', { ...ANSWER, status: null, latencyMs: 200 });
    faults.set('GET /v1/items', { ...ANSWER, latencyMs: 50 });
    faults.set('* /v1/items', { ...ANSWER, status: null, drop: 'before' });
    expect(faults.matchRequest('GET', '/v1/items')).toEqual({
      latencyMs: 250,
      slowBodyMs: 0,
      body: null,
      status: 503,
      retryAfter: null,
      drop: null,
    });
  });

  test('needs an effect, without contradicting options', () => {
    const { faults } = setup();
    const path = (draft: Partial<FaultDraft>) =>
      (getError(() => faults.set('GET /v1/items', { ...ANSWER, ...draft })) as { fields: { path: string }[] }).fields[0]?.path;
    expect(path({ status: null })).toBe('/status');
    expect(path({ drop: 'after' })).toBe('/drop');
    expect(path({ status: null, latencyMs: 5, retryAfter: 3 })).toBe('/retryAfter');
  });

  test('is rejected above the maximum number of faults', () => {
    const { faults } = setup();
    for (let at = 0; at < FAULTS_MAX; at += 1) faults.set(`GET /v1/items/${String(at)}`, ANSWER);
    expect(getError(() => faults.set('GET /v1/items', ANSWER))).toMatchObject({ code: 'LIMIT_REACHED' });
    faults.set('GET /v1/items/0', { ...ANSWER, status: 500 });
    expect(faults.clear()).toHaveLength(FAULTS_MAX);
    expect(faults.hasFaults()).toBe(false);
  });

  test('of an unknown target cannot be cleared, and the error lists the targets', () => {
    const { faults } = setup();
    faults.set('GET /v1/items', ANSWER);
    expect(getError(() => faults.clear('POST /v1/items'))).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining("'GET /v1/items'"),
    });
    expect(faults.clear('get /v1/items')).toMatchObject([{ target: 'GET /v1/items' }]);
  });
});

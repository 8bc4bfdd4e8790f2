/** Pending consents and login codes in the store: how long they are valid, what is stored, and what other daemons see. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import { CONSENT_LIFETIME_MIN } from '../../../src/contract/limits.ts';
import { createLoginCode, isProofValid, redeemLoginCode } from '../../../src/domain/oauth/login-codes.ts';
import { openConsent, purgeConsents } from '../../../src/domain/oauth/pending-consents.ts';
import type { AuthorizationRequest } from '../../../src/domain/oauth/records.ts';
import type { Tx } from '../../../src/domain/tables.ts';
import { getCookie, getParameters, requestIn, startOAuth } from '../../support/service/oauth.ts';
import { startSecondServer } from '../../support/service/second-server.ts';
import { type TestService, startService } from '../../support/service/service.ts';

const START = new Date('2026-03-31T12:00:00Z');
const LIFETIME_MS = CONSENT_LIFETIME_MIN * 60_000;
const after = (ms: number): Date => new Date(START.getTime() + LIFETIME_MS + ms);

const REQUEST: AuthorizationRequest = {
  applicationId: 'a',
  applicationName: 'Shop sync',
  redirectUri: 'https://shop.example/',
  state: undefined,
  challenge: 'c',
  scopes: ['items:read'],
  audience: [],
  issuer: 'http://127.0.0.1:1',
};

/** Runs a transaction with the time `now`. */
const transactAt = <T>(s: TestService, now: Date, work: (tx: Tx) => Promise<T>): Promise<T> =>
  s.service.store.transact('', (tx) => work(Object.create(tx, { now: { value: now } }) as Tx));

test('login codes and proofs are valid until the moment at which they expire', async () => {
  await using s = await startService();
  const { id } = (await transactAt(s, START, (tx) => openConsent(tx, REQUEST)))!;
  const { code, expiresAt } = await transactAt(s, START, createLoginCode);
  expect(expiresAt).toBe(after(0).toISOString());
  const proof = await transactAt(s, START, (tx) => redeemLoginCode(tx, code, id));
  const stored = await s.service.store.read('', (tx) => tx.pendingConsents.get(id));
  expect(isProofValid(stored!, proof, after(-1))).toBe(true);
  expect(isProofValid(stored!, proof, after(0))).toBe(false);
  expect(isProofValid(stored!, undefined, START)).toBe(false);
  expect(isProofValid(stored!, 'another', START)).toBe(false);
  expect(await transactAt(s, after(-1), (tx) => redeemLoginCode(tx, code, id))).toBeDefined();
  expect(await transactAt(s, after(0), (tx) => redeemLoginCode(tx, code, id))).toBeUndefined();
});

test('a login code and a proof are stored as hashes only', async () => {
  await using s = await startService();
  const { id } = (await transactAt(s, START, (tx) => openConsent(tx, REQUEST)))!;
  const { code } = await transactAt(s, START, createLoginCode);
  const proof = await transactAt(s, START, (tx) => redeemLoginCode(tx, code, id));
  const rows = await s.service.store.read('', async (tx) => [
    ...(await tx.pendingConsents.listAfter({ limit: 10 })).rows,
    ...(await tx.loginCodes.listAfter({ limit: 10 })).rows,
  ]);
  expect(rows).toHaveLength(2);
  for (const secret of [code, code.replace('-', ''), proof!]) expect(JSON.stringify(rows)).not.toContain(secret);
});

test('at most 20 login codes are valid: the oldest is replaced', async () => {
  await using s = await startService();
  const { id } = (await transactAt(s, START, (tx) => openConsent(tx, REQUEST)))!;
  const codes: string[] = [];
  for (let count = 0; count < 21; count += 1) codes.push((await transactAt(s, START, createLoginCode)).code);
  const redeem = (code: string) => transactAt(s, START, (tx) => redeemLoginCode(tx, code, id));
  expect(await redeem(codes[0]!)).toBeUndefined();
  for (const code of codes.slice(1, 3)) expect(await redeem(code)).toBeDefined();
});

test('a purge deletes requests a lifetime after they expired, codes when they expire, and both if they seem to be from the future', async () => {
  await using s = await startService();
  const count = () => s.service.store.read('', async (tx) => [await tx.pendingConsents.count(), await tx.loginCodes.count()]);
  const fill = async () => {
    await transactAt(s, START, (tx) => openConsent(tx, REQUEST));
    await transactAt(s, START, createLoginCode);
  };
  const purge = (now: Date) => transactAt(s, now, (tx) => purgeConsents(tx, now, 10));
  await fill();
  expect([await purge(after(-1)), await count()]).toEqual([0, [1, 1]]);
  expect([await purge(after(0)), await count()]).toEqual([1, [1, 0]]);
  expect([await purge(after(LIFETIME_MS)), await count()]).toEqual([1, [0, 0]]);
  await fill();
  expect([await purge(new Date(START.getTime() - 2 * LIFETIME_MS)), await count()]).toEqual([2, [0, 0]]);
});

test('a request can be followed and decided at another daemon than the one that received it, and survives a restart', async () => {
  await using o = await startOAuth();
  const second = await startSecondServer(o.a.s.service);
  const base = second.info.uri;
  const app = await o.app();
  const id = requestIn(await o.authorize(app));
  const { code } = (await o.a.post('/admin/oauth/login', {})).body as { code: string };
  const send = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    request(`${base}/oauth/consent`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: base, ...headers },
      body: new URLSearchParams({ request: id, ...form }).toString(),
    }).then(async ({ statusCode, headers: replyHeaders, body }) => ({
      status: statusCode,
      headers: replyHeaders,
      text: await body.text(),
    }));
  const cookie = getCookie(await send({ decision: 'login', code }));
  // The first daemon knows the proof that the second one has given.
  expect((await o.page(`/oauth/consent?request=${id}`, undefined, { cookie })).text).toContain('value="allow"');
  const allowed = await send({ decision: 'allow', tenant: 'first' }, { cookie });
  expect(getParameters(allowed).get('code')).toMatch(/^[\w-]{43}$/u);
  const page = await o.page(`/oauth/consent?request=${id}`, undefined, { cookie });
  expect(page.headers['location']).toBe(allowed.headers['location']);

  const waiting = requestIn(await o.authorize(app));
  await second.stop({ timeout: 1_000 });
  await o.a.s.restart();
  const rows = await o.a.s.service.store.read('', (tx) => tx.pendingConsents.getMany([id, waiting]));
  expect(rows.map((row) => row?.decision?.tenant)).toEqual(['first', undefined]);
});

test('of concurrent decisions on one request, exactly one is made', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const id = requestIn(await o.authorize(app));
  const approve = () => o.a.post(`/admin/oauth/requests/${id}/approve?tenant=first`, {});
  const deny = () => o.a.post(`/admin/oauth/requests/${id}/deny`, {});
  const replies = await Promise.all([approve(), deny(), approve(), deny()]);
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409]);
});

/** Decisions on one pending consent at two daemons of a PostgreSQL database. */
import { expect, onTestFinished, test } from 'vitest';
import { allowConsent, denyConsent, followConsent } from '../../../src/api/consents.ts';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import type { AuthorizationRequest } from '../../../src/domain/oauth/records.ts';
import { findCode } from '../../../src/domain/oauth/authorization-codes.ts';
import { createLoginCode, redeemLoginCode } from '../../../src/domain/oauth/login-codes.ts';
import { openConsent } from '../../../src/domain/oauth/pending-consents.ts';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import { tables } from '../../../src/domain/tables.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { createDatabase } from '../../support/postgres/databases.ts';

const newId = createIdGenerator();
const AT = '2026-01-01T00:00:00.000Z';
const REDIRECT = 'https://shop.example/';
const ORIGIN = { actor: { type: 'user', id: 'local' }, requestId: 'test', ipAddress: null } as const;

const createRequest = (applicationId: string): AuthorizationRequest => ({
  applicationId,
  applicationName: 'Shop sync',
  redirectUri: REDIRECT,
  state: undefined,
  challenge: 'c',
  scopes: ['items:read'],
  audience: [],
  issuer: 'http://127.0.0.1:1',
});

const createApplication = () =>
  ({
    id: newId(),
    clientId: 'app_test',
    name: 'Shop sync',
    type: 'public',
    redirectUris: [REDIRECT],
    allowedScopes: ['items:read'],
    grantTypes: ['authorization_code'],
    status: 'approved',
    secrets: [],
    createdAt: AT,
    updatedAt: AT,
  }) as const;

async function openTwo() {
  const database = await createDatabase();
  const open = (instanceId: string) => openPostgresStore({ url: database.url, tables, newId, instanceId });
  const stores = [await open('one'), await open('two')] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await database[Symbol.asyncDispose]();
  });
  return stores;
}

test('of decisions in different tenants at two daemons, exactly one is made, and only its tenant is connected', async () => {
  const [one, two] = await openTwo();
  const tenants: TenantRecord[] = [];
  for (const slug of ['first', 'second']) {
    const id = newId();
    tenants.push(await one.transact(id, (tx) => createTenant(tx, id, tx.now, newId, { name: slug, slug, plan: 'enterprise' })));
  }
  const application = createApplication();
  await one.transact('', (tx) => tx.applications.put(application));
  const request = createRequest(application.id);
  for (let round = 0; round < 5; round += 1) {
    const { id } = (await one.transact('', (tx) => openConsent(tx, request)))!;
    const decisions = await Promise.allSettled([
      allowConsent(one, id, tenants[0]!, ORIGIN),
      allowConsent(two, id, tenants[1]!, ORIGIN),
      denyConsent(two, id),
    ]);
    const made = decisions.flatMap((result) => (result.status === 'fulfilled' ? [result.value.decision] : []));
    expect(made).toHaveLength(1);
    for (const store of [one, two]) expect((await store.read('', (tx) => tx.pendingConsents.get(id)))?.decision).toEqual(made[0]);
    const { rows } = await two.read('', (tx) => tx.installations.listAfter({ limit: 10 }));
    const connected = rows.map(({ tenantId }) => tenants.find((tenant) => tenant.id === tenantId)?.slug);
    expect(connected).toEqual(made[0]!.tenant === null ? [] : [made[0]!.tenant]);
    await one.transact('', async (tx) => {
      for (const row of rows) await tx.installations.remove(row.id);
    });
  }
});

test('a page at another daemon than that of the decision gets a code of its own, which replaces the first, once per use', async () => {
  const [one, two] = await openTwo();
  const tenantId = newId();
  const tenant = await one.transact(tenantId, (tx) =>
    createTenant(tx, tenantId, tx.now, newId, { name: 'T', slug: 't', plan: 'enterprise' }),
  );
  const application = createApplication();
  await one.transact('', (tx) => tx.applications.put(application));
  const { id } = (await one.transact('', (tx) => openConsent(tx, createRequest(application.id))))!;
  const readCode = (url: string | undefined) => new URL(url ?? '').searchParams.get('code')!;
  const follow = async (store: typeof one) =>
    followConsent(store, (await store.read('', (tx) => tx.pendingConsents.get(id)))!, { now: () => new Date() });
  const { redirectTo } = await allowConsent(one, id, tenant, ORIGIN);
  expect(await follow(one)).toBe(redirectTo);
  const followed = readCode(await follow(two));
  expect(await two.read('', (tx) => findCode(tx, readCode(redirectTo)))).toBeUndefined();
  const record = (await one.read('', (tx) => findCode(tx, followed)))!;
  expect(record).toMatchObject({ applicationId: application.id, tenantId, usedAt: null });
  await one.transact('', (tx) => tx.oauthCodes.put({ ...record, usedAt: AT }));
  expect(await follow(two)).toBeUndefined();
});

test('a login code that is entered at two daemons at the same time is bound to one request', async () => {
  const [one, two] = await openTwo();
  const request = createRequest(newId());
  const ids: string[] = [];
  for (const store of [one, two]) ids.push((await store.transact('', (tx) => openConsent(tx, request)))!.id);
  const { code } = await one.transact('', createLoginCode);
  const proofs = await Promise.all([
    one.transact('', (tx) => redeemLoginCode(tx, code, ids[0]!)),
    two.transact('', (tx) => redeemLoginCode(tx, code, ids[1]!)),
  ]);
  expect(proofs.filter((proof) => proof !== undefined)).toHaveLength(1);
});

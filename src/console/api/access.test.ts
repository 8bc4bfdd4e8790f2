import { expect, test } from 'vitest';
import { listFaults, setFault } from '../../contract/admin/faults.ts';
import { listTortureResults } from '../../contract/admin/torture.ts';
import { listHealth, resendDelivery } from '../../contract/admin/webhooks.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { createItem, listItems } from '../../contract/resources/items.ts';
import { createWebhook } from '../../contract/resources/webhooks.ts';
import { type Plan, READ_SCOPES, SCOPES, type Scope } from '../../contract/scopes.ts';
import { createAccess } from './access.ts';

const getAccess = (scopes: readonly Scope[], plan: Plan = 'enterprise') =>
  createAccess({
    tenant: { id: '', plan },
    api_key: { id: '', prefix: '', environment: null, scopes: [...scopes], rate_limit_tier: '', expires_at: null },
  });

test('a session may do what its scopes allow, and what needs none', () => {
  const { can, isReadOnly } = getAccess(['items:read']);
  expect([listItems, getAuthContext, listFaults].map(can)).toEqual([true, true, true]);
  expect([createItem, listHealth, setFault].map(can)).toEqual([false, false, false]);
  expect(isReadOnly).toBe(true);
});

test('a session needs every scope for what concerns the whole service', () => {
  expect([setFault, listTortureResults].map(getAccess(SCOPES).can)).toEqual([true, true]);
  expect([setFault, listTortureResults].map(getAccess(SCOPES.slice(1)).can)).toEqual([false, false]);
});

test('a session may not do what the plan of its tenant lacks', () => {
  expect([createWebhook, resendDelivery, listHealth].map(getAccess(SCOPES, 'pro').can)).toEqual([false, false, true]);
});

test('a session that writes or deletes anything is not read-only', () => {
  expect(getAccess(READ_SCOPES).isReadOnly).toBe(true);
  expect(getAccess([...READ_SCOPES, 'webhooks:delete']).isReadOnly).toBe(false);
});

/** The console in a browser, with sessions that may do less than everything. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { type TestBrowser, openBrowser } from '../support/browser/browser.ts';
import { type TestAdmin, startAdmin } from '../support/service/admin.ts';
import { READ_SCOPES, SCOPES, type Scope } from '../../src/contract/scopes.ts';

let a: TestAdmin;
let paths: readonly string[];
beforeAll(async () => {
  a = await startAdmin({ consoleUrl: 'http://console/console' });
  paths = await createRecords();
});
afterAll(() => a[Symbol.asyncDispose]());

/** Returns the paths of all views. */
async function createRecords(): Promise<readonly string[]> {
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await a.s.post(path, body);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body.data.id as string;
  };
  const contactId = await create('/v1/contacts', { name: 'Hotel Mar', contactType: 'customer' });
  const supplierId = await create('/v1/contacts', { name: 'Bean Imports', contactType: 'supplier' });
  const itemId = await create('/v1/items', { name: 'House blend', sku: 'BLEND', salePrice: 12.5, purchasePrice: 5, supplierId });
  const lines = [{ itemId, quantity: 8 }];
  const order = await create('/v1/orders', { module: 'sell', contactId, status: 'open', lines });
  const document = await create('/v1/stock-documents', { type: 'receipt', lines });
  const webhook = await create('/v1/webhooks', {
    name: 'Shop',
    targetUrl: 'https://shop.example/hooks',
    subscribedEvents: ['order.updated'],
  });
  await a.s.patch(`/v1/orders/${order}`, { notes: 'Delivered' });
  await a.post('/admin/snapshots', { name: 'Saved' });
  await a.post('/admin/faults', { target: 'requests', status: 503, rate: 0.001 });
  const [delivery] = (await a.get('/admin/deliveries')).body.data as { id: string }[];
  return [
    '/',
    '/items',
    '/items?new=true',
    `/items/${itemId}`,
    '/orders',
    '/orders?board=true&module=sell',
    `/orders/${order}`,
    '/stock',
    '/stock/documents',
    `/stock/documents/${document}`,
    '/stock/movements',
    '/stock/count',
    '/contacts',
    `/contacts/${contactId}`,
    '/deliveries',
    `/deliveries/${String(delivery?.id)}`,
    '/deliveries/endpoints',
    `/deliveries/endpoints/${webhook}`,
    '/events',
    '/requests',
    '/audit',
    '/lab',
  ];
}

/** Signs in, and records the requests that are answered with 403. */
async function signIn({ page, context }: TestBrowser, scopes: readonly Scope[]): Promise<readonly string[]> {
  const rejected: string[] = [];
  context.on('response', (response) => {
    if (response.status() === 403) rejected.push(new URL(response.url()).pathname);
  });
  const { url } = (await a.post('/admin/console', { scopes })).body as { url: string };
  await page.goto(url.replace('http://console', a.s.url));
  await page.locator('.nav nav a').first().waitFor();
  return rejected;
}

/** Requests of the page that are not yet answered, except the one that waits for events. */
function countRequests({ context }: TestBrowser): () => number {
  const open = new Set<unknown>();
  context.on('request', (request) => {
    if (!request.url().includes('/v1/events')) open.add(request);
  });
  for (const name of ['requestfinished', 'requestfailed'] as const) context.on(name as 'request', (request) => open.delete(request));
  return () => open.size;
}

/** Opens a path in the page, and waits until everything in it is read. */
async function show(page: Page, path: string, countOpen: () => number): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
  await expect.poll(async () => countOpen() + (await page.locator('.loading').count())).toBe(0);
}

const SESSIONS: readonly (readonly Scope[])[] = [
  READ_SCOPES,
  SCOPES.filter((scope) => !READ_SCOPES.includes(scope)),
  ['items:read'],
  ['orders:read', 'orders:write'],
  ['inventory:read', 'inventory:write'],
  ['webhooks:read', 'contacts:read'],
  ['webhooks:deliveries:read', 'usage:read'],
];

test.each(SESSIONS.map((scopes) => [scopes]))('a session with the scopes %s makes no request that is answered with 403', async (scopes) => {
  await using browser = await openBrowser();
  const countOpen = countRequests(browser);
  const rejected = await signIn(browser, scopes);
  for (const path of paths) await show(browser.page, path, countOpen);
  expect(rejected).toEqual([]);
});

describe('a session that can only read', () => {
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    ({ page } = browser);
    await signIn(browser, READ_SCOPES);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test('is offered no change in any view', async () => {
    const countOpen = countRequests(browser);
    const found = new Set<string>();
    for (const path of paths) {
      await show(page, path, countOpen);
      const buttons = page.locator('main button:visible:not([role=tab], [role=columnheader] *)');
      for (const button of await buttons.all()) found.add((await button.getAttribute('aria-label')) ?? (await button.innerText()));
    }
    expect([...found].toSorted()).toEqual(['Board', 'CSV', 'Check a signature', 'Close details', 'Show as']);
    expect(await page.locator('[draggable=true], dialog[open]').count()).toBe(0);
  });

  test('is shown as read-only in the header', async () => {
    await expect.poll(() => page.locator('.nav .status').allInnerTexts()).toEqual(['Read-only']);
  });

  test('finds no command that changes anything in the palette', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Late orders' }).waitFor();
    expect(await page.getByRole('option').filter({ hasText: 'New' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });
});

test('a session without the scope of a view says so, and shows none of its links', async () => {
  await using browser = await openBrowser();
  const { page } = browser;
  await signIn(browser, ['webhooks:read']);
  expect(await page.locator('.nav nav a').allInnerTexts()).toEqual(['Overview', 'Deliveries', 'Events', 'Lab']);
  await page.getByRole('link', { name: 'Deliveries' }).first().click();
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  await page.goto(`${a.s.url}/console/orders`);
  await page.getByText('Not available in this session').waitFor();
});

test('a session that may not read suppliers enters the id of one', async () => {
  const { data } = (await a.s.get('/v1/contacts?search=Bean')).body as { data: { id: string }[] };
  await using browser = await openBrowser();
  const { page } = browser;
  await signIn(browser, ['items:read', 'items:write']);
  await page.goto(`${a.s.url}/console/items?new=true`);
  await page.getByLabel('Name required').fill('Second blend');
  await page.getByLabel('Supplier', { exact: true }).fill(String(data[0]?.id));
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Second blend' }).waitFor();
  const [item] = (await a.s.get('/v1/items?search=Second')).body.data as { supplier: { name: string } }[];
  expect(item?.supplier.name).toBe('Bean Imports');
});

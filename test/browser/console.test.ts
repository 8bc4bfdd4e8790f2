/** The console in a real browser: signing in, every view, keys, hostile names, and a whole story. */
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE, type TestBrowser, isTooWide, openBrowser } from '../support/browser/browser.ts';
import { NAME_MAX_CHARS, NOTES_MAX_CHARS } from '../../src/contract/limits.ts';
import { type TestAdmin, startAdmin } from '../support/service/admin.ts';

/** Markup, length, direction and characters beyond the basic plane. */
const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  'x'.repeat(NAME_MAX_CHARS),
  'مرحبا بالعالم (12)',
  '👩🏽‍🚀🧪 emoji',
  '{{7*7}} ${7*7} =1+1',
] as const;

/** The longest text of these. */
const fill = (text: string, length: number): string => Array.from(text.repeat(length)).slice(0, length).join('');

let a: TestAdmin;
let ids: { item: string; order: string; document: string; contact: string; webhook: string };
/** Paths of records with hostile texts that are as long as the API allows. */
const hostilePaths: string[] = [];
beforeAll(async () => {
  a = await startAdmin({ consoleUrl: 'http://console/console' });
  ids = await createRecords();
});
afterAll(() => a[Symbol.asyncDispose]());

async function createRecords(): Promise<typeof ids> {
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await a.s.post(path, body);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body.data.id as string;
  };
  const contact = await create('/v1/contacts', { name: 'Hotel Mar', contactType: 'customer' });
  const supplier = await create('/v1/contacts', { name: 'Bean Imports', contactType: 'supplier' });
  const item = await create('/v1/items', { name: 'House blend', sku: 'BLEND', salePrice: 12.5, purchasePrice: 5, supplierId: supplier });
  for (const [at, name] of HOSTILE.entries())
    await create('/v1/items', { name, sku: `H-${String(at)}`, notes: fill(name, NOTES_MAX_CHARS) });
  for (const text of HOSTILE) {
    const notes = fill(text, NOTES_MAX_CHARS);
    const long = fill(text, NAME_MAX_CHARS);
    const lines = [{ itemId: item, quantity: 1 }];
    const contactId = await create('/v1/contacts', { name: long, company: long, contactType: 'customer' });
    hostilePaths.push(
      `/contacts/${contactId}`,
      `/orders/${await create('/v1/orders', { module: 'sell', contactId, notes, lines: [{ ...lines[0], description: notes.slice(0, 200) }] })}`,
      `/stock/documents/${await create('/v1/stock-documents', { type: 'receipt', notes, lines })}`,
    );
  }
  const document = await create('/v1/stock-documents', { type: 'receipt', lines: [{ itemId: item, quantity: 5, unitCost: 5 }] });
  const order = await create('/v1/orders', { module: 'sell', contactId: contact, status: 'open', lines: [{ itemId: item, quantity: 8 }] });
  const webhook = await create('/v1/webhooks', {
    name: 'Shop',
    targetUrl: 'https://shop.example/hooks',
    subscribedEvents: ['order.updated', 'stock_document.created'],
  });
  await a.s.patch(`/v1/items/${item}`, { salePrice: 13 });
  return { item, order, document, contact, webhook };
}

const getLink = async (body: object = {}, query = ''): Promise<string> => {
  const { url } = (await a.post(`/admin/console${query}`, body)).body as { url: string };
  return url.replace('http://console', a.s.url);
};

async function signIn({ page }: TestBrowser, body: object = {}): Promise<Page> {
  await page.goto(await getLink(body));
  await page.locator('.shell main h1').waitFor();
  return page;
}

/** Opens a path of the console without loading the page again, as a link does. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${a.s.url}/console${path}`);
  await page.locator('main h1').waitFor();
  await expect.poll(() => page.locator('main .loading').count()).toBe(0);
}

const getViolations = async (page: Page): Promise<unknown> => {
  await page.evaluate(axe.source);
  return page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ target, failureSummary }) => target + ' ' + failureSummary)]))",
  );
};

const listViews = (): Record<string, string> => ({
  overview: '/',
  items: '/items',
  item: `/items/${ids.item}`,
  orders: '/orders',
  order: `/orders/${ids.order}`,
  board: '/orders?board=true&module=sell',
  levels: '/stock',
  movements: '/stock/movements',
  documents: '/stock/documents',
  document: `/stock/documents/${ids.document}`,
  count: '/stock/count',
  contacts: '/contacts',
  contact: `/contacts/${ids.contact}`,
  deliveries: '/deliveries',
  endpoints: '/deliveries/endpoints',
  endpoint: `/deliveries/endpoints/${ids.webhook}`,
  events: '/events',
  requests: '/requests',
  audit: '/audit',
  lab: '/lab',
  'new item': '/items?new=true',
  'new order': '/orders?new=true',
  'new document': '/stock/documents?new=true',
  'new endpoint': '/deliveries/endpoints?new=true',
  'signature check': '/deliveries/endpoints?check=true',
});

describe.each([
  ['light desktop', DESKTOP, 'light'],
  ['dark phone', PHONE, 'dark'],
] as const)('console on a %s', (_name, viewport, colorScheme) => {
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser({ viewport, colorScheme });
    page = await signIn(browser);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test('has no violation of accessibility rules in any view, and fits the width', async () => {
    const found: unknown[] = [];
    for (const [name, path] of Object.entries(listViews())) {
      await show(page, path);
      const violations = await getViolations(page);
      if (JSON.stringify(violations) !== '[]') found.push([name, violations]);
      if (await isTooWide(page)) found.push([name, 'too wide']);
    }
    expect(found).toEqual([]);
  });

  test('shows hostile names as text, and executes none of them', async () => {
    await show(page, '/items?sort=-created_at');
    const text = await page.locator('.table-body').innerText();
    for (const name of HOSTILE.filter((_text, at) => viewport === DESKTOP || at > 3)) expect(text).toContain(name);
    for (const at of HOSTILE.keys()) {
      await page.goto(`${a.s.url}/console/items?search=H-${String(at)}`);
      await page.locator('.row-link').first().click();
      await page.locator('.panel .facts').waitFor();
      expect(await page.locator('.panel > header h2').innerText()).toBe(HOSTILE[at]);
      expect(await isTooWide(page)).toBe(false);
    }
    for (const path of hostilePaths) {
      await page.goto(`${a.s.url}/console${path}`);
      await page.locator('.panel .facts').waitFor();
      expect([path, await isTooWide(page)]).toEqual([path, false]);
    }
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  test('rows are as high as the type of the projector mode needs', async () => {
    await show(page, '/items');
    await page.locator('.row-link').nth(1).waitFor();
    const getGaps = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.table-body [role=row]')].map((row) => row.getBoundingClientRect()).map(({ top }, at, all) => Math.round(top - (all[at - 1]?.bottom ?? top)))",
      );
    const toggle = async (isOn: boolean) => {
      if (viewport === PHONE) await page.getByRole('button', { name: 'Open menu' }).click();
      await page.getByRole('button', { name: 'Projector', pressed: !isOn }).click();
      if (viewport === PHONE) await page.getByRole('button', { name: 'Close menu' }).click();
      await expect.poll(async () => new Set(await getGaps())).toEqual(new Set([0]));
    };
    await toggle(true);
    await toggle(false);
  });

  test('has no errors, no violation of its policy, and no request to another origin', () => {
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(`${a.s.url}/`) && !url.startsWith('blob:'))).toEqual([]);
  });
});

test('console signs in with a link once, and keeps the code out of the address', async () => {
  await using browser = await openBrowser();
  const link = await getLink();
  await browser.page.goto(link);
  await browser.page.locator('.nav nav a').first().waitFor();
  expect(browser.page.url()).toBe(`${a.s.url}/console`);
  await using other = await openBrowser();
  await other.page.goto(link);
  expect(await other.page.locator('[role=alert]').innerText()).toContain('This link was used');
  await other.page.locator('input').fill(await getLink());
  await other.page.keyboard.press('Enter');
  await other.page.locator('.nav nav a').first().waitFor();
  await other.page.getByText('Sign out').click();
  await other.page.getByText('npx stockroom console').waitFor();
  expect(await other.page.evaluate("JSON.parse(localStorage.getItem('stockroom-console')).state")).toEqual({ token: null });
});

test('charts and values are shown in a browser whose locale is none', async () => {
  await using browser = await openBrowser();
  const { page, context, complaints } = browser;
  await context.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })");
  await signIn(browser);
  await show(page, '/requests');
  await page.getByRole('img', { name: 'Requests a minute' }).locator('canvas').waitFor();
  await page.locator('.row-link').first().waitFor();
  expect(complaints).toEqual([]);
});

/** Numbers that their cell or a part around it cuts. */
const CUT_NUMBERS = `[...document.querySelectorAll('main .number')].filter((cell) => {
  const { right, width } = cell.getBoundingClientRect();
  if (cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 0) return true;
  for (let around = cell.parentElement; around; around = around.parentElement)
    if (getComputedStyle(around).overflowX !== 'visible' && around.getBoundingClientRect().right + 1 < right) return width > 0;
  return false;
}).map(({ innerText }) => innerText)`;

test.each([390, 800, 1440])('numbers of records are shown whole at a width of %i', async (width) => {
  const lines = [{ itemId: ids.item, quantity: 1_200, unitPrice: 1_234.5 }];
  const { data } = (
    await a.s.post('/v1/orders', {
      module: 'sell',
      contactId: ids.contact,
      status: 'open',
      orderDate: '2020-12-01',
      dueDate: '2020-12-20',
      lines,
    })
  ).body;
  await using browser = await openBrowser({ viewport: { width, height: 900 } });
  const page = await signIn(browser);
  const cut: unknown[] = [];
  for (const path of [
    '/',
    `/items/${ids.item}`,
    `/orders/${String(data.id)}`,
    `/contacts/${ids.contact}`,
    `/stock/documents/${ids.document}`,
    '/contacts',
    '/stock',
  ]) {
    await show(page, path);
    for (const text of await page.evaluate<string[]>(CUT_NUMBERS)) cut.push([path, text]);
  }
  expect(cut).toEqual([]);
});

describe('an open page of the console', () => {
  let browser: TestBrowser;
  let page: Page;
  const createItem = async (name: string): Promise<string> => (await a.s.post('/v1/items', { name, salePrice: 1 })).body.data.id as string;
  const expectFact = (text: string) => expect.poll(() => page.locator('.panel .facts').innerText()).toContain(text);
  beforeAll(async () => {
    browser = await openBrowser();
    page = await signIn(browser);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test('saves only what was changed in a form, whatever others change meanwhile', async () => {
    const id = await createItem('Shared');
    await show(page, `/items/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await a.s.patch(`/v1/items/${id}`, { salePrice: 9 });
    await expectFact('9.00');
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectFact('9.00');
    await expect.poll(async () => (await a.s.get(`/v1/items/${id}`)).body.data).toMatchObject({ name: 'Renamed', salePrice: 9 });
  });

  test('shows what a loaded snapshot has instead', async () => {
    const id = await createItem('As saved');
    await a.post('/admin/snapshots', { name: 'before' });
    await a.s.patch(`/v1/items/${id}`, { salePrice: 5 });
    await show(page, `/items/${id}`);
    await expectFact('5.00');
    expect((await a.post('/admin/snapshots/before/load', {})).status).toBe(200);
    await expectFact('1.00');
  });

  test('belongs to the tenant of the last link, in all tabs', async () => {
    await a.post('/admin/tenants', { name: 'Other Ltd', slug: 'other', plan: 'pro' });
    await show(page, '/items');
    await page.getByText('House blend').first().waitFor();
    const second = await page.context().newPage();
    await second.goto(await getLink({}, '?tenant=other'));
    for (const tab of [second, page]) await tab.locator('.nav').getByText('Other Ltd').waitFor();
    await expect.poll(() => page.getByText('House blend').count()).toBe(0);
  });
});

test('console signs in with a link that is entered into its open tab', async () => {
  await using browser = await openBrowser();
  const { page } = browser;
  const readToken = () => page.evaluate("JSON.parse(localStorage.getItem('stockroom-console')).state.token");
  const used = await getLink({}, '?tenant=first');
  await page.goto(used);
  await page.locator('.nav nav a').first().waitFor();
  const first = await readToken();
  // A page that is loaded again loses this.
  await page.evaluate('window.isSamePage = true');
  await page.goto(await getLink({}, '?tenant=first'));
  await expect.poll(readToken).not.toBe(first);
  await page.locator('.nav nav a').first().waitFor();
  expect(page.url()).toBe(`${a.s.url}/console`);
  await page.goto(used);
  await page.getByText('This link was used').waitFor();
  await page.goto(await getLink({}, '?tenant=first'));
  await page.locator('.nav nav a').first().waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});

test('an open console belongs to the tenant of a link that is entered into its tab', async () => {
  for (const slug of ['north', 'south']) await a.post('/admin/tenants', { name: `${slug} tenant`, slug, plan: 'pro' });
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(await getLink({}, '?tenant=north'));
  await page.locator('.nav').getByText('north tenant').waitFor();
  // A page that is loaded again loses this.
  await page.evaluate('window.isSamePage = true');
  await page.goto(await getLink({}, '?tenant=south'));
  await page.locator('.nav').getByText('south tenant').waitFor();
  expect(await page.locator('.nav').getByText('north tenant').count()).toBe(0);
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});

test('the levels show the total stock value of the rows that the filters leave', async () => {
  await a.post('/admin/tenants', { name: 'Valued', slug: 'valued', plan: 'pro', currency: 'USD' });
  const { secret } = (await a.post('/admin/keys?tenant=valued', { name: 'Test', allScopes: true })).body as { secret: string };
  const post = async (path: string, body: object): Promise<string> => (await a.s.post(path, body, { key: secret })).body.data.id as string;
  for (const [name, itemType, quantity] of [
    ['Bolt', 'product', 3],
    ['Steel', 'material', 4],
  ] as const) {
    const itemId = await post('/v1/items', { name, itemType });
    await post('/v1/stock-documents?approve=true', { type: 'receipt', lines: [{ itemId, quantity, unitCost: 2.5 }] });
  }
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(await getLink({}, '?tenant=valued'));
  await page.locator('.shell main h1').waitFor();
  await show(page, '/stock');
  const expectValue = (text: string) =>
    expect.poll(() => page.getByText('Total stock value').innerText()).toBe(`Total stock value ${text}`);
  await expectValue('$17.50');
  await page.getByLabel('Item type').selectOption('material');
  await expectValue('$10.00');
});

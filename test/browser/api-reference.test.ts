/** The API reference page in a real browser, on a desktop and a phone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { events } from '../../src/contract/events.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { type Operation, listErrorCodes } from '../../src/contract/operation.ts';
import { buildCodeSamples } from '../../src/contract/openapi/code-samples.ts';
import { DOCUMENT_PATHS } from '../../src/contract/openapi/document-paths.ts';
import { DOCUMENT_VERSION } from '../../src/contract/openapi/info.ts';
import { deleteItem } from '../../src/contract/resources/items.ts';
import { getOrganization } from '../../src/contract/resources/organization.ts';
import { DESKTOP, PHONE, type TestBrowser, isTooWide, openBrowser } from '../support/browser/browser.ts';
import { isLongRun } from '../support/long-run.ts';
import { type TestService, startService } from '../support/service/service.ts';

const operations: readonly Operation[] = OPERATIONS;
let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(() => s[Symbol.asyncDispose]());

/** Opens the page and waits until all operations are shown. */
async function openReference({ page }: TestBrowser): Promise<Page> {
  await page.goto(`${s.url}/docs`);
  await page.locator('.opblock').last().waitFor();
  return page;
}

/** Leaves few operations in the document that the pages get: drawing all of them takes most of the time of a test. */
async function leaveFewOperations({ context }: TestBrowser): Promise<void> {
  await context.route('**/openapi.json', async (route) => {
    const response = await route.fetch();
    const document = (await response.json()) as { paths: Readonly<Record<string, unknown>> };
    const kept = ['/v1/organization', '/v1/items'];
    const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => kept.includes(path)));
    await route.fulfill({ response, json: { ...document, paths } });
  });
}

/** Enters a key and returns the resulting status. */
async function enterKey(page: Page, key: string): Promise<string> {
  await page.locator('#key').fill(key);
  // Leaving the field clears the earlier status.
  await page.locator('#key').blur();
  const status = page.locator('#key-status:is(.good, .bad)');
  await status.waitFor();
  return status.innerText();
}

/** Opens an operation in the table of contents and returns it. */
async function openOperation(page: Page, group: string, summary: string): Promise<Locator> {
  const contents = page.locator('#contents > summary');
  if (await contents.isVisible()) await contents.click();
  const links = page.locator('#groups > li', { has: page.locator('summary', { hasText: new RegExp(`^${group}$`, 'u') }) }).locator('a');
  await links.filter({ hasText: new RegExp(`^${summary}$`, 'u') }).click();
  const operation = page.locator('.opblock.is-open', { hasText: summary });
  await operation.waitFor();
  return operation;
}

/** Opens an operation and sends its example request. */
async function sendExample(page: Page, group: string, summary: string): Promise<{ status: string; body: string }> {
  const operation = await openOperation(page, group, summary);
  await operation.locator('.execute').click();
  const reply = operation.locator('.live-responses-table tbody');
  await reply.waitFor();
  return {
    status: (await reply.locator('.response-col_status').innerText()).trim(),
    body: await reply.locator('.microlight').first().innerText(),
  };
}

const DEVICES = { 'dark desktop': [DESKTOP, 'dark'], 'light phone': [PHONE, 'light'] } as const;

describe.each(Object.entries(DEVICES))('API reference on a %s', (_name, [viewport, colorScheme]) => {
  // Loading the page costs more than any of these tests.
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser({ viewport, colorScheme });
    page = await openReference(browser);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test('shows all operations, and all contents expanded', async () => {
    expect(await page.locator('.opblock').count()).toBe(OPERATIONS.length);
    expect(await page.locator('#groups a').count()).toBe(OPERATIONS.length);
    expect(await page.locator('#groups details:not([open])').count()).toBe(0);
    expect(await page.title()).toBe('Stockroom API');
    expect(await isTooWide(page)).toBe(false);
  });

  test('links to the documents of API and webhooks', async () => {
    await expectLinks(page);
    // Swagger UI adds elements of this name for its own use.
    expect(await page.locator('main > noscript').isVisible()).toBe(false);
  });

  test('shows one version number, that of the document', async () => {
    const text = await page.locator('body').innerText();
    expect(text.split(DOCUMENT_VERSION)).toHaveLength(2);
    expect(text).not.toContain('OAS');
  });

  test('uses the color scheme of the system', async () => {
    const brightness = await page.evaluate<number[]>(
      `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)`,
    );
    expect(Math.max(...brightness) < 64).toBe(colorScheme === 'dark');
  });

  test('finds operations by all words of their summary, path, id or error codes, and opens the first with Enter', async () => {
    const search = async (text: string): Promise<string[]> => {
      await page.locator('#search').fill(text);
      return (await page.locator('#groups a:visible').allInnerTexts()).toSorted();
    };
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    expect(await search('webhook rotate')).toEqual(['Update a webhook endpoint, or rotate its signing secret']);
    expect(await search('POST /v1/contacts')).toEqual(['Create a contact']);
    expect(await search('items.suppliers.list')).toEqual(['List the suppliers of an item, preferred first']);
    expect(await search('BOM_cycle')).not.toEqual([]);
    // Fields and their descriptions are searched if no operation is called so.
    expect(await search('unitsPerPurchaseUnit')).toContain('Link a supplier to an item');
    expect(await search('moving average cost')).toContain('List stock levels, one row per item and site');
    expect(await search('no such zebra')).toEqual([]);
    expect(await page.locator('#no-match').isVisible()).toBe(true);
    await search('delete unused item');
    await page.keyboard.press('Enter');
    await page.locator('.opblock.is-open', { hasText: 'Delete an unused item' }).waitFor();
    await search('');
  });

  test('names the own error codes of each operation, which link to the one table of errors', async () => {
    const open = await openOperation(page, 'Items', 'Delete an unused item');
    const links = open.locator('.error-codes a');
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(['NOT_FOUND', 'RESOURCE_IN_USE', 'PRECONDITION_FAILED', 'common errors']);
    expect(await open.locator('.responses-table .response').count()).toBe(1);
    await links.filter({ hasText: 'RESOURCE_IN_USE' }).click();
    const isInView = () =>
      page.evaluate("document.querySelector('#error-RESOURCE_IN_USE:target').getBoundingClientRect().top < innerHeight");
    await expect.poll(isInView).toBe(true);
    const text = await page.locator('#error-RESOURCE_IN_USE').innerText();
    expect(text).toMatch(/^409\s*RESOURCE_IN_USE\s+Other records refer to this one/u);
  });

  test('has samples in curl, JavaScript and Python', async () => {
    const samples = (await openOperation(page, 'Items', 'Delete an unused item')).locator('.samples');
    expect(await samples.locator('button[aria-pressed]').allInnerTexts()).toEqual(['curl', 'JavaScript', 'Python']);
    for (const { label, source } of buildCodeSamples(deleteItem, s.url)) {
      await samples.getByText(label, { exact: true }).click();
      expect(await samples.locator('pre').innerText()).toBe(source);
    }
  });

  const testRequests = () =>
    test('sends requests with the API key and a new idempotency key each time', async () => {
      const key = await s.addKey();
      expect(await enterKey(page, key)).toMatch(/^Valid: \d+ scopes, plan enterprise\.$/u);
      const { status, body } = await sendExample(page, 'Organization', getOrganization.summary);
      expect(status).toBe('200');
      expect(body).toContain('"slug": "first"');

      const sent = page.waitForRequest((request) => request.method() === 'POST');
      const created = await sendExample(page, 'Contacts', 'Create a contact');
      expect([created.status, created.body]).toEqual(['201', expect.stringContaining('"name": "Ana Reis"')]);
      const first = (await sent).headers();
      const resent = page.waitForRequest((request) => request.method() === 'POST');
      await page.locator('.opblock.is-open', { hasText: 'Create a contact' }).locator('.execute').click();
      const second = (await resent).headers();
      expect([first['x-api-key'], second['x-api-key']]).toEqual([key, key]);
      expect(first['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/u);
      expect(second['idempotency-key']).not.toBe(first['idempotency-key']);
      expect(browser.requests.filter((url) => url.includes(key))).toEqual([]);
    });

  const testExamples = () =>
    test('sends examples with the ids of records that exist, except deletions, and masks the key in the command', async () => {
      const customer = (await s.post('/v1/contacts', { name: 'Buyer', contactType: 'customer' })).body.data.id as string;
      await s.post('/v1/items', { name: 'Sold', sku: 'SOLD' });
      const { status, body } = await sendExample(page, 'Orders', 'Create an order with its lines');
      expect([status, body]).toEqual(['201', expect.stringContaining(`"contactId": "${customer}"`)]);
      expect((await sendExample(page, 'Items', 'Get an item')).status).toBe('200');
      // Answered here: the console names every response of the service that is an error.
      await page.route('**/v1/items/*', (route) =>
        route.request().method() === 'DELETE' ? route.fulfill({ json: {} }) : route.continue(),
      );
      const deletion = page.waitForRequest((request) => request.method() === 'DELETE');
      await sendExample(page, 'Items', deleteItem.summary);
      expect((await deletion).url()).toContain(deleteItem.example.params.item_id);
      const command = await page.locator('.opblock.is-open .curl').first().innerText();
      expect(command).toMatch(/x-api-key: pk_test_…/iu);
    });
  // Each change of a key draws all operations again.
  if (isLongRun || viewport === DESKTOP) {
    testRequests();
    testExamples();
  }

  test('fits the width after all of this, without violations of the policy and requests to other origins', async () => {
    expect(await isTooWide(page)).toBe(false);
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(`${s.url}/`) && !url.startsWith('data:'))).toEqual([]);
  });
});

const STORES = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';

test('API reference keeps a valid key for the session of the tab, in no other tab, and only until it is removed', async () => {
  await using browser = await openBrowser();
  await leaveFewOperations(browser);
  const page = await openReference(browser);
  expect(await enterKey(page, 'pk_test_unknown')).toBe('Invalid API key.');
  expect(await page.evaluate(STORES)).not.toContain('pk_test_unknown');
  const key = await s.addKey();
  await enterKey(page, key);
  await page.reload();
  await page.locator('.opblock').last().waitFor();
  await page.locator('#key-status.good').waitFor();
  expect(await page.locator('#key').inputValue()).toBe(key);
  expect((await sendExample(page, 'Organization', getOrganization.summary)).status).toBe('200');
  const other = await browser.context.newPage();
  await other.goto(`${s.url}/docs`);
  await other.locator('#groups a').last().waitFor();
  expect([await other.locator('#key').inputValue(), await other.evaluate(STORES)]).toEqual(['', '[{},{},""]']);
  await page.locator('#key').fill('');
  await page.locator('#key').blur();
  expect(await page.evaluate(STORES)).not.toContain(key);
});

test('API reference stops using a saved key that is no longer valid', async () => {
  await using browser = await openBrowser();
  await leaveFewOperations(browser);
  // A page of the same origin that loads quickly.
  await browser.page.goto(`${s.url}/docs/icon.svg`);
  await browser.page.evaluate("sessionStorage.setItem('stockroom-api-key', 'pk_test_gone')");
  await openReference(browser);
  await browser.page.locator('#key-status.bad').waitFor();
  expect(await browser.page.evaluate(STORES)).not.toContain('pk_test_gone');
});

test('API reference opens the operation in the URL fragment', async () => {
  await using browser = await openBrowser();
  await leaveFewOperations(browser);
  await browser.page.goto(`${s.url}/docs#/Items/items.create`);
  const open = browser.page.locator('.opblock.is-open');
  await open.waitFor();
  expect(await open.locator('.opblock-summary-path').innerText()).toContain('/v1/items');
});

test('API reference follows the URL fragment, also Back, and marks the operation in the contents', async () => {
  await using browser = await openBrowser();
  await leaveFewOperations(browser);
  const page = await openReference(browser);
  const current = page.locator('#groups a[aria-current]');
  const isInView = async (path: string): Promise<boolean> => {
    const box = await page.locator('.opblock.is-open', { hasText: path }).first().boundingBox();
    return box !== null && box.y >= 0 && box.y < DESKTOP.height;
  };
  await page.evaluate("location.hash = '#/Items/items.create'");
  await expect.poll(() => current.allInnerTexts()).toEqual(['Create an item']);
  await expect.poll(() => isInView('/v1/items')).toBe(true);
  await openOperation(page, 'Organization', getOrganization.summary);
  await expect.poll(() => isInView('/v1/organization')).toBe(true);
  await page.goBack();
  await expect.poll(() => current.allInnerTexts()).toEqual(['Create an item']);
  await expect.poll(() => isInView('Create an item')).toBe(true);
});

test('API reference shows every webhook event with an example', async () => {
  await using browser = await openBrowser();
  await leaveFewOperations(browser);
  const page = await openReference(browser);
  await page.locator('nav a[href="#events"]').click();
  expect((await page.locator('#events tbody tr').allInnerTexts()).map((text) => text.split(/\s/u)[0])).toEqual(Object.keys(events));
  await page.locator('[id="event-order.created"] summary').click();
  expect(await page.locator('[id="event-order.created"] pre').innerText()).toContain('"orderNumber": "SO-000001"');
  expect(browser.complaints).toEqual([]);
});

test('API reference shows introduction, contents and errors before the viewer is loaded', async () => {
  await using browser = await openBrowser();
  const { page, context } = browser;
  await context.route('**/docs/viewer.js', () => new Promise(() => undefined));
  await page.goto(`${s.url}/docs`, { waitUntil: 'commit' });
  await page.locator('#groups a').last().waitFor();
  expect(await page.locator('#introduction').innerText()).toContain('Send an API key with every request');
  expect(await page.locator('#groups a').count()).toBe(OPERATIONS.length);
  expect(await page.locator('#errors tbody tr').count()).toBe(new Set(operations.flatMap(listErrorCodes)).size);
});

test('API reference links to the documents of API and webhooks without JavaScript', async () => {
  await using browser = await openBrowser({ javaScript: false });
  await browser.page.goto(`${s.url}/docs`);
  await expectLinks(browser.page);
  expect(await browser.page.locator('main > noscript').isVisible()).toBe(true);
});

/** Expects visible links to both documents. */
async function expectLinks(page: Page): Promise<void> {
  for (const path of [DOCUMENT_PATHS.api, DOCUMENT_PATHS.webhooks]) {
    const link = page.locator(`main a[href="${path}"]`);
    expect(await link.isVisible()).toBe(true);
    expect((await page.request.get(`${s.url}${String(await link.getAttribute('href'))}`)).status()).toBe(200);
  }
}

/** The API reference page in a real browser, on a desktop and a phone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { OPERATIONS } from '../../src/contract/index.ts';
import { DESKTOP, PHONE, type TestBrowser, isTooWide, openBrowser } from '../support/browser/browser.ts';
import { type TestService, startService } from '../support/service/service.ts';

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

/** Enters a key and returns the resulting status. */
async function enterKey(page: Page, key: string): Promise<string> {
  await page.locator('#key').fill(key);
  // Leaving the field clears the earlier status.
  await page.locator('#key').blur();
  const status = page.locator('#key-status:is(.good, .bad)');
  await status.waitFor();
  return status.innerText();
}

/** Opens an operation in the table of contents and sends its example request. */
async function sendExample(page: Page, group: string, summary: string): Promise<{ status: string; body: string }> {
  const contents = page.locator('#contents > summary');
  if (await contents.isVisible()) await contents.click();
  await page.locator('#groups summary', { hasText: new RegExp(`^${group}$`, 'u') }).click();
  await page.locator('#groups a', { hasText: new RegExp(`^${summary}$`, 'u') }).click();
  const operation = page.locator('.opblock.is-open', { hasText: summary });
  await operation.locator('.execute').click();
  const reply = operation.locator('.live-responses-table tbody');
  await reply.waitFor();
  return {
    status: (await reply.locator('.response-col_status').innerText()).trim(),
    body: await reply.locator('.microlight').first().innerText(),
  };
}

const DEVICES = { desktop: DESKTOP, phone: PHONE } as const;

describe.each(Object.entries(DEVICES))('API reference on a %s', (_name, viewport) => {
  test('shows all operations without horizontal scrolling or requests to other origins', async () => {
    await using browser = await openBrowser({ viewport });
    const page = await openReference(browser);
    expect(await page.locator('.opblock').count()).toBe(OPERATIONS.length);
    expect(await page.locator('#groups a').count()).toBe(OPERATIONS.length);
    expect(await page.title()).toBe('Stockroom API');
    expect(await isTooWide(page)).toBe(false);
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(`${s.url}/`) && !url.startsWith('data:'))).toEqual([]);
  });

  test('sends requests with the API key and a new idempotency key each time', async () => {
    await using browser = await openBrowser({ viewport });
    const page = await openReference(browser);
    const key = await s.addKey();
    expect(await enterKey(page, key)).toMatch(/^Valid: \d+ scopes, plan enterprise\.$/u);
    const { status, body } = await sendExample(page, 'Organization', 'Get the organization profile');
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

    expect(await isTooWide(page)).toBe(false);
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(`${s.url}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(browser.requests.filter((url) => url.includes(key))).toEqual([]);
  });
});

test('API reference rejects an invalid key, and forgets the key after a reload', async () => {
  await using browser = await openBrowser();
  const page = await openReference(browser);
  expect(await enterKey(page, 'pk_test_unknown')).toBe('Invalid API key.');
  const key = await s.addKey();
  await enterKey(page, key);
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).not.toContain(key);
  await page.reload();
  await page.locator('.opblock').last().waitFor();
  expect(await page.locator('#key').inputValue()).toBe('');
  const { status } = await sendExample(page, 'Organization', 'Get the organization profile');
  expect(status).toBe('401');
});

test('API reference opens the operation in the URL fragment', async () => {
  await using browser = await openBrowser();
  await browser.page.goto(`${s.url}/docs#/Items/items.create`);
  const open = browser.page.locator('.opblock.is-open');
  await open.waitFor();
  expect(await open.locator('.opblock-summary-path').innerText()).toContain('/v1/items');
});

test('API reference uses dark colours in the dark colour scheme', async () => {
  await using browser = await openBrowser({ colorScheme: 'dark' });
  const page = await openReference(browser);
  const brightness = await page.evaluate<number[]>(
    `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)`,
  );
  expect(Math.max(...brightness)).toBeLessThan(64);
  expect(browser.complaints).toEqual([]);
});

test('API reference links to openapi.json without JavaScript', async () => {
  await using browser = await openBrowser({ javaScript: false });
  await browser.page.goto(`${s.url}/docs`);
  expect(await browser.page.locator('#reference').innerText()).toContain('openapi.json');
});

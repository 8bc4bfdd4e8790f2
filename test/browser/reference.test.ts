/** The reference page as a person meets it: in a real browser, on a desktop and a phone, with a key of theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { OPERATIONS } from '../../src/contract/index.ts';
import { DESKTOP, PHONE, type TestBrowser, isTooWide, openBrowser } from '../support/browser.ts';
import { type TestService, startService } from '../support/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(() => s[Symbol.asyncDispose]());

/** Opens the page and waits until everything is shown. */
async function openReference({ page }: TestBrowser): Promise<Page> {
  await page.goto(`${s.url}/docs`);
  await page.locator('.opblock').last().waitFor();
  return page;
}

async function giveKey(page: Page, key: string): Promise<string> {
  await page.locator('#key').fill(key);
  // Leaving the field takes the earlier verdict away.
  await page.locator('#key').blur();
  const owner = page.locator('#owner:is(.good, .bad)');
  await owner.waitFor();
  return owner.innerText();
}

/** Unfolds an operation by the contents and sends it as it stands. */
async function tryOut(page: Page, group: string, summary: string): Promise<{ status: string; body: string }> {
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

describe.each(Object.entries(DEVICES))('on a %s', (_name, viewport) => {
  test('every operation is there, nothing is cut off, and nothing comes from elsewhere', async () => {
    await using browser = await openBrowser({ viewport });
    const page = await openReference(browser);
    expect(await page.locator('.opblock').count()).toBe(OPERATIONS.length);
    expect(await page.locator('#groups a').count()).toBe(OPERATIONS.length);
    expect(await page.title()).toBe('Stockroom API');
    expect(await isTooWide(page)).toBe(false);
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(`${s.url}/`) && !url.startsWith('data:'))).toEqual([]);
  });

  test('a call is tried with a key, and again with a fresh idempotency key', async () => {
    await using browser = await openBrowser({ viewport });
    const page = await openReference(browser);
    const key = await s.addKey();
    expect(await giveKey(page, key)).toMatch(/^Valid: \d+ scopes, plan enterprise\.$/u);
    const { status, body } = await tryOut(page, 'Organization', 'Read the organization profile');
    expect(status).toBe('200');
    expect(body).toContain('"slug": "first"');

    const sent = page.waitForRequest((request) => request.method() === 'POST');
    const made = await tryOut(page, 'Contacts', 'Create a contact');
    expect([made.status, made.body]).toEqual(['201', expect.stringContaining('"name": "Ana Reis"')]);
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

test('a wrong key is called wrong, and the key is gone after a reload', async () => {
  await using browser = await openBrowser();
  const page = await openReference(browser);
  expect(await giveKey(page, 'pk_test_nobody')).toBe('The key is not valid.');
  const key = await s.addKey();
  await giveKey(page, key);
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).not.toContain(key);
  await page.reload();
  await page.locator('.opblock').last().waitFor();
  expect(await page.locator('#key').inputValue()).toBe('');
  const { status } = await tryOut(page, 'Organization', 'Read the organization profile');
  expect(status).toBe('401');
});

test('a link to an operation opens it', async () => {
  await using browser = await openBrowser();
  await browser.page.goto(`${s.url}/docs#/Items/items.create`);
  const open = browser.page.locator('.opblock.is-open');
  await open.waitFor();
  expect(await open.locator('.opblock-summary-path').innerText()).toContain('/v1/items');
});

test('in the dark it is dark', async () => {
  await using browser = await openBrowser({ colorScheme: 'dark' });
  const page = await openReference(browser);
  const brightness = await page.evaluate<number[]>(
    `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)`,
  );
  expect(Math.max(...brightness)).toBeLessThan(64);
  expect(browser.complaints).toEqual([]);
});

test('without JavaScript it says where the same is as text', async () => {
  await using browser = await openBrowser({ javaScript: false });
  await browser.page.goto(`${s.url}/docs`);
  expect(await browser.page.locator('#reference').innerText()).toContain('openapi.json');
});

/** The start page in a real browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESKTOP, PHONE, isTooWide, openBrowser } from '../support/browser/browser.ts';
import { type TestService, startService } from '../support/service/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService();
  await s.service.demo.load();
});
afterAll(() => s[Symbol.asyncDispose]());

test.each([
  ['a phone', PHONE, 'light'],
  ['a dark desktop', DESKTOP, 'dark'],
] as const)('the start page fits %s, needs no scripts, and leads to the API reference', async (_name, viewport, colorScheme) => {
  await using browser = await openBrowser({ viewport, colorScheme, javaScript: false });
  const { page } = browser;
  await page.goto(`${s.url}/`);
  expect(await page.textContent('h1')).toBe('stockroom is running');
  // The styles are applied, so their hash matches the policy.
  expect((await page.locator('main').boundingBox())?.width).toBeLessThanOrEqual(464);
  expect(await isTooWide(page)).toBe(false);
  expect(await page.locator('kbd').allInnerTexts()).toEqual([
    'npx stockroom console --tenant kestrel-coffee',
    'npx stockroom items list',
    'npx stockroom dashboard',
    'export STOCKROOM_API_KEY="$(npx stockroom keys create --all-scopes --tenant kestrel-coffee --columns secret | tail -n 1)"',
    `curl -H "X-API-Key: $STOCKROOM_API_KEY" "${s.url}/v1/items?page_size=5"`,
  ]);
  for (const href of ['/openapi.json', '/webhooks.openapi.json']) expect(await page.locator(`a[href="${href}"]`).count()).toBe(1);
  await page.click('text=API reference');
  await page.waitForURL(`${s.url}/docs`);
  expect(browser.complaints).toEqual([]);
  expect(browser.requests.filter((url) => !url.startsWith(`${s.url}/`))).toEqual([]);
});

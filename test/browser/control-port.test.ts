/** A page in a real browser cannot use the control port, not even with its token. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/browser/browser.ts';
import { startControl } from '../support/service/control.ts';

test('a hostile page reads and changes nothing over the control port: by fetch, script or form', async () => {
  await using c = await startControl();
  const page = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<title>hostile</title>'));
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  await using browser = await openBrowser();
  await browser.page.goto(`http://127.0.0.1:${String((page.address() as AddressInfo).port)}/`);
  const seen = await browser.page.evaluate(
    async ({ url, token }) => {
      const body = JSON.stringify({ name: 'Hostile' });
      const authorization = `Bearer ${token}`;
      const attempts: (() => Promise<unknown>)[] = [
        () => fetch(`${url}/control/tenants`, { headers: { authorization } }),
        () => fetch(`${url}/control/tenants`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body }),
        () => fetch(`${url}/control/openapi.json`),
        async () => (await fetch(`${url}/control/tenants`, { method: 'POST', mode: 'no-cors', body })).text(),
      ];
      const results = [];
      for (const attempt of attempts) results.push(await attempt().catch(() => 'blocked'));
      return results;
    },
    { url: c.url, token: c.token },
  );
  // A response without CORS is opaque to the page.
  expect(seen).toEqual(['blocked', 'blocked', 'blocked', '']);
  const script = browser.page.addScriptTag({ url: `${c.url}/control/tenants` });
  expect(
    await script.then(
      () => 'loaded',
      () => 'blocked',
    ),
  ).toBe('blocked');
  const form = `<form method="post" enctype="text/plain" action="${c.url}/control/tenants"><button>Win</button></form>`;
  await browser.page.setContent(form);
  await browser.page.click('button');
  await browser.page.waitForURL(`${c.url}/**`);
  expect(await browser.page.textContent('body')).toContain('ORIGIN_NOT_ALLOWED');
  expect((await c.get('/control/tenants')).body.pagination.total).toBe(1);
  page.close();
});

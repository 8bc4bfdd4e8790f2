/** The test browser detects what a page does wrong. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { PHONE, isTooWide, openBrowser } from '../support/browser/browser.ts';

test('the test browser blocks other origins, and detects policy violations and wide pages', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('content-security-policy', "default-src 'none'; img-src http://elsewhere.example");
    response.end(
      '<title>x</title><p style="width: 2000px">wide</p><img src="http://elsewhere.example/a.png"><script>document.title = "y"</script>',
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using browser = await openBrowser({ viewport: PHONE });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  await browser.page.goto(url);
  expect(await browser.page.title()).toBe('x');
  expect(browser.requests).toEqual(expect.arrayContaining([url, 'http://elsewhere.example/a.png']));
  expect(browser.complaints.join('\n')).toMatch(/inline style/u);
  expect(browser.complaints.join('\n')).toMatch(/inline script/u);
  expect(browser.complaints.join('\n')).toContain('ERR_NAME_NOT_RESOLVED');
  await browser.page.evaluate('document.querySelector("p").style.width = "2000px"');
  expect(await isTooWide(browser.page)).toBe(true);
  server.close();
});

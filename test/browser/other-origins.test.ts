/** A page of another origin in a real browser: it gets a token by PKCE, reads and creates items, or is refused. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/browser/browser.ts';
import { pkce, startOAuth } from '../support/service/oauth.ts';

test('a page of a registered application uses the API with its token, and another page cannot', async () => {
  await using o = await startOAuth();
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<title>app</title>')).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const redirect_uri = `http://127.0.0.1:${port}/callback`;
  const app = await o.app({ type: 'public', redirectUris: [redirect_uri] });
  const { verifier, challenge } = pkce();
  const code = String((await o.allow(app, { redirect_uri, code_challenge: challenge })).get('code'));
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(redirect_uri);
  const seen = await page.evaluate(
    async ({ base, form }) => {
      const metadata = (await (await fetch(`${base}/.well-known/oauth-authorization-server`)).json()) as { token_endpoint: string };
      const granted = (await (await fetch(metadata.token_endpoint, { method: 'POST', body: new URLSearchParams(form) })).json()) as {
        access_token: string;
      };
      const headers = {
        authorization: `Bearer ${granted.access_token}`,
        'content-type': 'application/json',
        'idempotency-key': 'from-a-page',
      };
      const create = () => fetch(`${base}/v1/items`, { method: 'POST', headers, body: JSON.stringify({ name: 'From a page' }) });
      const [created, again] = [await create(), await create()];
      const list = (await (await fetch(`${base}/v1/items`, { headers: { authorization: headers.authorization } })).json()) as {
        data: { name: string }[];
      };
      return {
        statuses: [created.status, again.status],
        location: created.headers.get('location'),
        replayed: again.headers.get('idempotent-replayed'),
        names: list.data.map(({ name }) => name),
      };
    },
    {
      base: o.base,
      form: { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier, client_id: app.clientId },
    },
  );
  expect(seen).toEqual({
    statuses: [201, 201],
    location: expect.stringContaining('/v1/items/') as string,
    replayed: 'true',
    names: ['From a page'],
  });
  // The name of the same machine is another origin.
  await page.goto(`http://localhost:${port}/`);
  const refused = await page.evaluate(
    async (base) =>
      fetch(`${base}/v1/items`).then(
        () => 'read',
        (error: unknown) => (error as Error).name,
      ),
    o.base,
  );
  expect(refused).toBe('TypeError');
  server.closeAllConnections();
  server.close();
});

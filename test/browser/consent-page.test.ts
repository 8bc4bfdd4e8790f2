/** The consent page in a real browser: coming from an application and returning to it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { CONSENT_LIFETIME_MIN } from '../../src/contract/limits.ts';
import { DESKTOP, PHONE, type TestBrowser, isTooWide, openBrowser } from '../support/browser/browser.ts';
import { type App, type TestOAuth, pkce, startOAuth } from '../support/service/oauth.ts';

interface Client extends AsyncDisposable {
  /** The page of the application. Its site differs from that of stockroom: `localhost` is not 127.0.0.1. */
  readonly page: string;
  readonly redirectUri: string;
  /** The parameters of all redirects, in order. */
  readonly answers: URLSearchParams[];
  /** The HTML of the page. */
  body: string;
  /** Where the callback redirects. */
  nextSite?: string;
}

/** Starts the application: a page with a link, and a redirect URI. */
async function startClient(): Promise<Client> {
  const answers: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://client');
    if (url.pathname === '/callback') answers.push(url.searchParams);
    response.setHeader('content-type', 'text/html');
    if (url.pathname === '/callback' && client.nextSite !== undefined)
      return void response.writeHead(302, { location: client.nextSite }).end();
    response.end(url.pathname === '/callback' ? '<title>back</title><p id="back">back' : client.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const client: Client = {
    page: `http://localhost:${port}/`,
    redirectUri: `http://127.0.0.1:${port}/callback`,
    answers,
    body: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return client;
}

const ALLOW = 'button[value=allow]';
const CONTINUE = 'a.main';
const DENY = 'button[value=deny]';
const EVERYTHING = ['items:read', 'items:write', 'orders:read', 'webhooks:write'] as const;

async function registered(o: TestOAuth, client: Client): Promise<{ app: App; link: string; verifier: string }> {
  const app = await o.app({ redirectUris: [client.redirectUri], scopes: EVERYTHING });
  const { verifier, challenge } = pkce();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: client.redirectUri,
    state: 'here & there',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const link = `${o.base}/oauth/authorize?${query.toString()}`;
  client.body = `<a href="${link.replaceAll('&', '&amp;')}">Connect</a>`;
  return { app, link, verifier };
}

/** Enters a new login code. */
async function login(o: TestOAuth, { page }: TestBrowser): Promise<void> {
  await page.fill('#code', (await o.a.post('/admin/oauth/login', {})).body.code as string);
  await page.click('text=Continue');
  await page.waitForSelector(ALLOW);
}

/** All complaints but those about error statuses, which browsers log, too. */
const complaints = ({ complaints: all }: TestBrowser): string[] => all.filter((text) => !text.startsWith('Failed to load resource'));

for (const [name, viewport, colorScheme] of [
  ['on a phone', PHONE, 'light'],
  ['on a dark desktop', DESKTOP, 'dark'],
] as const) {
  test(`a user who follows a link, logs in and allows the request returns to the application with a valid code, ${name}`, async () => {
    await using o = await startOAuth();
    await using client = await startClient();
    const { app, verifier } = await registered(o, client);
    await using browser = await openBrowser({ viewport, colorScheme, javaScript: false });
    const { page } = browser;
    await page.goto(client.page);
    await page.click('text=Connect');
    await page.waitForSelector('text=Shop sync wants to connect');
    // The styles are applied, so their hash matches the policy.
    const width = (await page.locator('main').boundingBox())?.width ?? 0;
    expect(width).toBeLessThanOrEqual(464);
    expect(await isTooWide(page)).toBe(false);
    await page.fill('#code', 'WRNG-CODE');
    await page.click('text=Continue');
    expect(await page.textContent('[role=alert]')).toBe('Invalid or used code. Generate a new one.');
    await login(o, browser);
    expect(page.url()).toContain('/oauth/consent?request=req_');
    expect(await page.textContent('dl')).toContain('first');
    expect(await isTooWide(page)).toBe(false);
    await page.click(ALLOW);
    await page.waitForURL(`${client.redirectUri}?**`);
    const [answer] = client.answers;
    expect([client.answers.length, answer?.get('state'), answer?.get('iss')]).toEqual([1, 'here & there', o.base]);
    const reply = await o.exchange(app, String(answer?.get('code')), verifier, { redirect_uri: client.redirectUri });
    expect(reply.body.scope).toBe(EVERYTHING.join(' '));
    expect(complaints(browser)).toEqual([]);
    const hosts = new Set(browser.requests.map((url) => new URL(url).hostname));
    expect([...hosts].toSorted()).toEqual(['127.0.0.1', 'localhost']);
  });
}

test('denying redirects without a code, with or without a login code', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(link);
  await page.click(DENY);
  await page.waitForURL(`${client.redirectUri}?**`);
  await page.goto(link);
  await login(o, browser);
  await page.click(DENY);
  await page.waitForURL(`${client.redirectUri}?**`);
  expect(client.answers.map((answer) => [answer.get('error'), answer.get('code'), answer.get('state')])).toEqual([
    ['access_denied', null, 'here & there'],
    ['access_denied', null, 'here & there'],
  ]);
  expect(complaints(browser)).toEqual([]);
});

test('a wrong redirect URI shows a page without links', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser({ viewport: PHONE });
  const { page } = browser;
  await page.goto(link.replace('callback', 'elsewhere'));
  expect(await page.textContent('h1')).toBe('Invalid authorization request');
  expect(await page.locator('form, a').count()).toBe(0);
  expect(new URL(page.url()).origin).toBe(o.base);
  expect(await isTooWide(page)).toBe(false);
});

test('a decision that is submitted twice counts once, and the user still returns to the application', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser();
  const { page, context } = browser;
  await page.goto(link);
  await login(o, browser);
  const twin = await context.newPage();
  await twin.goto(page.url());
  await page.click(ALLOW);
  await page.waitForURL(`${client.redirectUri}?**`);
  await twin.click(ALLOW);
  expect(await twin.textContent('h1')).toBe('This request is already completed');
  await twin.click(CONTINUE);
  await twin.waitForURL(`${client.redirectUri}?**`);
  // A double click on one page.
  await page.goto(link);
  await login(o, browser);
  await page.dblclick(ALLOW);
  await page.locator(`#back, ${CONTINUE}`).waitFor();
  if (await page.locator(CONTINUE).count()) await page.click(CONTINUE);
  await page.waitForURL(`${client.redirectUri}?**`);
  expect(new Set(client.answers.map((answer) => answer.get('code'))).size).toBe(2);
  const granted = (await o.a.audit()).filter(({ action }) => action === 'integration.connected');
  // The approval of the application and two consents.
  expect(granted).toHaveLength(3);
  expect(complaints(browser)).toEqual([]);
});

test('an expired page says so and allows nothing', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser({ viewport: PHONE });
  const { page } = browser;
  await page.goto(link);
  await login(o, browser);
  o.a.s.clock.advance(CONSENT_LIFETIME_MIN * 60);
  await page.click(ALLOW);
  await page.waitForSelector('text=This request has expired');
  expect(client.answers).toEqual([]);
});

test('after consent in the terminal, the open page continues by itself', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(link);
  await page.click('text=approve in the terminal');
  const command = String(await page.textContent('kbd'));
  expect(command).toMatch(/oauth approve req_/u);
  const request = command.replace('npx stockroom oauth approve ', '');
  await o.a.post(`/admin/oauth/requests/${request}/approve?tenant=first`, {});
  await page.waitForURL(`${client.redirectUri}?**`);
  expect(client.answers[0]?.get('code')).toMatch(/^[\w-]{43}$/u);
});

test('a callback that redirects to another site takes the browser there', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  client.nextSite = client.page;
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(link);
  await login(o, browser);
  await page.click(ALLOW);
  await page.waitForURL(client.page);
  expect(client.answers).toHaveLength(1);
});

test('no other page can show the consent page in a frame or submit its form', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(link);
  await login(o, browser);
  const request = String(new URL(page.url()).searchParams.get('request'));
  client.body = `<iframe src="${link.replaceAll('&', '&amp;')}"></iframe>`;
  await page.goto(client.page);
  await expect.poll(() => browser.complaints.join('\n')).toContain('frame-ancestors');
  client.body = `<form method="post" action="${o.base}/oauth/consent"><input name="request" value="${request}"><input name="tenant" value="first"><button name="decision" value="allow">Win</button></form>`;
  await page.goto(client.page);
  await page.click('text=Win');
  await page.waitForURL(`${o.base}/**`);
  expect(await page.textContent('body')).toContain('ORIGIN_NOT_ALLOWED');
  expect((await o.a.get('/admin/oauth/requests')).body.data.map(({ id }: { id: string }) => id)).toContain(request);
  expect(client.answers).toEqual([]);
});

test('a website cannot create pending requests in the background', async () => {
  await using o = await startOAuth();
  await using client = await startClient();
  const { link } = await registered(o, client);
  await using browser = await openBrowser();
  const { page } = browser;
  const url = link.replaceAll('&', '&amp;');
  client.body = `<img src="${url}" onerror="document.title = 'image failed'"><iframe src="${url}"></iframe><script>fetch(${JSON.stringify(link)}, { mode: 'no-cors' })</script>`;
  const statuses: Record<string, number> = {};
  page.on('response', (response) => {
    if (response.url() === link) statuses[response.request().resourceType()] = response.status();
  });
  await page.goto(client.page);
  await expect.poll(() => statuses).toEqual({ document: 403, fetch: 403 });
  // Browsers hide the response to an image that is none.
  await expect.poll(() => page.title()).toBe('image failed');
  expect((await o.a.get('/admin/oauth/requests')).body.data).toEqual([]);
  await page.goto(link);
  await page.waitForSelector('text=Shop sync wants to connect');
  expect((await o.a.get('/admin/oauth/requests')).body.data).toHaveLength(1);
});

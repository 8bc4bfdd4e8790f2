/** The console as people use it: a day of a shop by mouse, and lists and forms by keyboard only. */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { type TestBrowser, openBrowser } from '../support/browser/browser.ts';
import { type Receiver, startReceiver } from '../support/servers/webhook-receiver.ts';
import { type TestAdmin, startAdmin } from '../support/service/admin.ts';

let a: TestAdmin;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  a = await startAdmin({
    consoleUrl: 'http://console/console',
    service: { deliver: true, webhooks: { allowLoopback: true, scheduleSeconds: [1_000], overloadSeconds: 0 } },
  });
});
afterAll(async () => {
  await a[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const create = async (path: string, body: object): Promise<string> => {
  const reply = await a.s.post(path, body);
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.data.id as string;
};

async function signIn({ page }: TestBrowser, path = ''): Promise<Page> {
  const { url } = (await a.post('/admin/console', {})).body as { url: string };
  await page.goto(url.replace('http://console/console', `${a.s.url}/console`));
  await page.locator('.shell main h1').waitFor();
  await page.goto(`${a.s.url}/console${path}`);
  return page;
}

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
const getDialog = (page: Page): Locator => page.locator('dialog[open]').last();
/** Chooses a record by a part of its name. */
async function pick(dialog: Locator, label: string, text: string): Promise<void> {
  await dialog.getByLabel(label, { exact: true }).fill(text);
  await dialog.getByRole('option').filter({ hasText: text }).first().click();
}
const getPanel = (page: Page): Locator => page.locator('.panel');
/** The cells of the row of a table in the panel that has this text. */
const getCells = (page: Page, table: string, row: string): Promise<string[]> =>
  getPanel(page).getByRole('table', { name: table }).locator('tr', { hasText: row }).locator('td').allInnerTexts();

test('a day of a shop: shortage, purchase, receipt in two parts, shipment, a failed delivery, a count', async () => {
  await create('/v1/contacts', { name: 'Hotel Mar', contactType: 'customer' });
  const supplier = await create('/v1/contacts', { name: 'Bean Imports', contactType: 'supplier' });
  const item = await create('/v1/items', { name: 'House blend', sku: 'BLEND', salePrice: 12.5, purchasePrice: 5, supplierId: supplier });
  await create('/v1/webhooks', { name: 'Shop', targetUrl: receiver.url, subscribedEvents: ['order.updated'] });
  await using browser = await openBrowser();
  const page = await signIn(browser, '/orders');

  // An order arrives elsewhere, and is shown.
  await page.getByText('No orders yet').waitFor();
  const contacts = (await a.s.get('/v1/contacts?search=Hotel')).body.data as { id: string }[];
  await create('/v1/orders', { module: 'sell', contactId: contacts[0]?.id, status: 'open', lines: [{ itemId: item, quantity: 8 }] });
  await page.getByRole('link', { name: 'SO-000001' }).click();

  // It is short.
  await button(getPanel(page), 'Complete').click();
  await getDialog(page).getByRole('table', { name: 'Shortages' }).getByText('BLEND').waitFor();
  await button(getDialog(page), 'Complete').click();
  // Above the preview, which says so, too.
  await expect.poll(() => getDialog(page).getByRole('alert').count()).toBe(2);
  await button(getDialog(page), 'Cancel').click();

  // A purchase order, whose first attempt lacks a module.
  await button(page, 'New order').click();
  const form = getDialog(page);
  await button(form, 'Create').click();
  await form.locator('small.problem').waitFor();
  await form.getByLabel('Module required').selectOption('buy');
  await form.getByLabel('Status').selectOption('open');
  await pick(form, 'Contact', 'Bean');
  await pick(form, 'Item, line 1', 'BLEND');
  await form.getByLabel('Quantity, line 1').fill('20');
  await button(form, 'Create').click();
  await page.getByRole('link', { name: 'PO-000001' }).click();

  // Receipt in two parts.
  await button(getPanel(page), 'Receive a part').click();
  await getDialog(page).getByLabel('Receive now: House blend').fill('12');
  const effect = getDialog(page).getByRole('table', { name: 'Effect on stock' }).locator('td');
  await expect.poll(() => effect.allInnerTexts()).toEqual(expect.arrayContaining(['BLEND', '0', '+12', '12']));
  await button(getDialog(page), 'Receive').click();
  await expect.poll(() => getCells(page, 'Lines', 'House blend')).toContain('12');
  await button(getPanel(page), 'Complete').click();
  await button(getDialog(page), 'Complete').click();
  await getPanel(page).locator('h2 .status', { hasText: 'Completed' }).waitFor();

  // The shipment, of which the shop hears in vain.
  receiver.answer = 500;
  const before = receiver.received.length;
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'SO-000001' }).click();
  await button(getPanel(page), 'Complete').click();
  await getDialog(page).getByRole('table', { name: 'Effect on stock' }).waitFor();
  await button(getDialog(page), 'Complete').click();
  await getPanel(page).locator('h2 .status', { hasText: 'Completed' }).waitFor();
  await receiver.count(before + 1);

  // Resent by hand.
  await page.goto(`${a.s.url}/console/deliveries?status=retrying`);
  await page.getByRole('link', { name: 'order.updated' }).first().click();
  await getPanel(page).getByRole('table', { name: 'Attempts' }).getByText('http_500').waitFor();
  expect(await getPanel(page).getByLabel('Payload', { exact: true }).innerText()).toContain('"event": "order.updated"');
  receiver.answer = 200;
  await button(getPanel(page), 'Resend').click();
  await button(getDialog(page), 'Resend').click();
  await getPanel(page).locator('.facts .status', { hasText: 'Delivered' }).waitFor();

  // Nothing else is left to replay.
  await page.goto(`${a.s.url}/console/deliveries/endpoints`);
  await page.getByRole('link', { name: 'Shop' }).click();
  await button(getPanel(page), 'Replay').click();
  await getDialog(page).getByText('Nothing to send.').waitFor();

  // A count finds one less.
  await page.goto(`${a.s.url}/console/stock/count`);
  await page.getByLabel('Counted: House blend').fill('11');
  await button(page, 'Post 1 counted').click();
  await getDialog(page).getByText('-1', { exact: true }).waitFor();
  await button(getDialog(page), 'Post').click();
  await expect.poll(() => page.getByRole('row', { name: 'BLEND' }).innerText()).toContain('11');
  expect(await page.getByLabel('Counted: House blend').inputValue()).toBe('');
  const { data } = (await a.s.get(`/v1/stock-levels?item_id=${item}`)).body as { data: { onHand: number }[] };
  expect(data[0]?.onHand).toBe(11);
  expect(browser.complaints.filter((text) => !/status of (?:400|409)/u.test(text))).toEqual([]);
});

test('orders are dragged between the columns of the board, only to statuses that they may have', async () => {
  const contactId = await create('/v1/contacts', { name: 'Nordkaffe', contactType: 'customer' });
  const itemId = await create('/v1/items', { name: 'Dragged', sku: 'DRAG' });
  const id = await create('/v1/orders', { module: 'sell', contactId, status: 'open', lines: [{ itemId, quantity: 1 }] });
  const getStatus = async () => (await a.s.get(`/v1/orders/${id}`)).body.data.status as string;
  const { orderNumber } = (await a.s.get(`/v1/orders/${id}`)).body.data;
  await using browser = await openBrowser();
  const page = await signIn(browser, '/orders?board=true&module=sell');
  const card = page.getByRole('listitem').filter({ hasText: String(orderNumber) });
  const drag = (column: string) => card.dragTo(page.getByRole('list', { name: `${column} orders` }));
  await card.waitFor();
  await drag('In progress');
  await button(getDialog(page), 'Start').click();
  await page.getByRole('region', { name: 'In progress' }).getByText(String(orderNumber)).waitFor();
  expect(await getStatus()).toBe('in_progress');
  await drag('Draft');
  expect(await page.locator('dialog[open]').count()).toBe(0);
  await drag('Waiting');
  await button(getDialog(page), 'Cancel').click();
  expect(await getStatus()).toBe('in_progress');
});

test('lists, details, palette and forms need no mouse', async () => {
  for (const name of ['First nut', 'Second nut', 'Third nut'])
    await create('/v1/items', { name, sku: name.toUpperCase().replace(' ', '-') });
  await using browser = await openBrowser();
  const page = await signIn(browser, '/items');
  const { keyboard } = page;
  await page.locator('.row-link').first().waitFor();
  await keyboard.press('/');
  await keyboard.type('nut');
  await expect.poll(() => page.url()).toContain('search=nut');
  await expect.poll(() => page.locator('.row-link').count()).toBe(3);
  await page.locator('input[type=search]').evaluate('document.activeElement.blur()');
  await keyboard.press('j');
  await keyboard.press('j');
  await keyboard.press('k');
  await keyboard.press('j');
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('SECOND-NUT');
  await keyboard.press('Enter');
  await expect.poll(() => page.locator('.panel > header h2').innerText()).toBe('Second nut');
  expect(page.url()).toContain('search=nut');
  await keyboard.press('Escape');
  await expect.poll(() => page.locator('.panel').count()).toBe(0);

  await keyboard.press('Control+k');
  await keyboard.type('new item');
  await keyboard.press('Enter');
  await getDialog(page).getByLabel('Name required').waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.closest('.field') !== null")).toBe(true);
  await keyboard.type('Typed washer');
  await keyboard.press('Enter');
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);

  await keyboard.press('Control+k');
  await keyboard.type('typed');
  await getDialog(page).getByRole('option', { name: 'Typed washer' }).waitFor();
  await keyboard.press('Enter');
  await expect.poll(() => page.locator('.panel > header h2').innerText()).toBe('Typed washer');
  await keyboard.press('?');
  await getDialog(page).getByText('Next and previous row').waitFor();
  await keyboard.press('Escape');
  expect(browser.complaints).toEqual([]);
});

test('the requests that "Show as" shows do what the view does', async () => {
  await create('/v1/items', { name: "Ann's bolt", sku: 'ANN' });
  await using browser = await openBrowser();
  const page = await signIn(browser, "/items?search=Ann's&item_type=product");
  await page.getByRole('link', { name: 'ANN' }).waitFor();
  await button(page, 'Show as').click();
  const text = await getDialog(page).locator('pre').innerText();
  const path = new URL(/'(http[^']*(?:'\\''[^']*)*)'/u.exec(text)?.[1]?.replaceAll(String.raw`'\''`, "'") ?? '');
  const reply = await a.s.get(path.pathname + path.search);
  expect((reply.body.data as { sku: string }[]).map(({ sku }) => sku)).toEqual(['ANN']);
  await getDialog(page).getByRole('tab', { name: 'Command' }).click();
  expect(await getDialog(page).locator('pre').innerText()).toBe(
    String.raw`npx stockroom items list --search 'Ann'\''s' --item-type product`,
  );
  await getDialog(page).getByRole('tab', { name: 'TypeScript' }).click();
  expect(await getDialog(page).locator('pre').innerText()).toContain('client.items.list({\n  search: "Ann\'s",');
});

test('a file of a table has all rows, and no cell that a spreadsheet would execute', async () => {
  await create('/v1/items', { name: '=HYPERLINK("http://evil")', sku: 'FORMULA' });
  await using browser = await openBrowser();
  const page = await signIn(browser, '/items?search=FORMULA');
  await page.locator('.row-link').first().waitFor();
  const downloading = page.waitForEvent('download');
  await button(page, 'CSV').click();
  const stream = await (await downloading).createReadStream();
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  const [head, row] = Buffer.concat(parts).toString('utf8').split('\r\n');
  expect(head).toBe('SKU,Name,Type,Category,Supplier,Sale price,Purchase price,Active');
  expect(row).toBe(`FORMULA,"'=HYPERLINK(""http://evil"")",product,,,,,true`);
});

test('signatures of deliveries are checked in the page, which sends nothing for it', async () => {
  const secret = 'ab'.repeat(32);
  const body = '{"event":"order.created","data":{"id":"1"}}';
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', Buffer.from(secret, 'hex')).update(`${timestamp}.${body}`).digest('hex');
  await using browser = await openBrowser();
  const page = await signIn(browser, '/deliveries/endpoints?check=true');
  const dialog = getDialog(page);
  await dialog.getByLabel('Headers').fill(`Host: shop.example\n< X-Service-Timestamp: ${timestamp}\nx-service-signature: v1=${digest}`);
  const isSecretSent = browser.context.waitForEvent('request', {
    predicate: (request) => request.postData()?.includes(secret) === true,
    timeout: 0,
  });
  isSecretSent.catch(() => undefined);
  const check = async (text: string, key: string): Promise<string> => {
    await dialog.getByLabel('Body').fill(text);
    await dialog.getByLabel('Signing secret').fill(key);
    await button(dialog, 'Check').click();
    return dialog.locator('[role=status], [role=alert]').innerText();
  };
  expect(await check(body, secret)).toBe('The signature matches.');
  expect(await check(body, 'cd'.repeat(32))).toContain('the secret is wrong, or the body was changed');
  expect(await check(JSON.stringify(JSON.parse(body), null, 2), secret)).toContain('the body was reformatted');
  expect(await check(body, 'whsec')).toContain('not hexadecimal');
  expect(await Promise.race([isSecretSent.then(() => 'sent'), Promise.resolve('kept')])).toBe('kept');
});

test('the Lab exports and applies fixtures, and runs the live demo until it is stopped', async () => {
  await create('/v1/contacts', { name: 'Café Alfama', contactType: 'customer' });
  const id = await create('/v1/items', { name: 'Guji', sku: 'GUJI', salePrice: 9 });
  await a.s.post('/v1/stock-documents?approve=true', { type: 'receipt', lines: [{ itemId: id, quantity: 500, unitCost: 4 }] });
  await using browser = await openBrowser();
  const page = await signIn(browser, '/lab');
  const downloading = page.waitForEvent('download');
  await button(page, 'Export').click();
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/\.fixtures\.yaml$/u);
  expect(await readFile(await file.path(), 'utf8')).toContain('sku: GUJI');
  await button(page, 'Apply a file').click();
  const choose = (content: string) =>
    getDialog(page)
      .getByLabel('File')
      .setInputFiles({ name: 'a.yaml', mimeType: 'application/yaml', buffer: Buffer.from(content) });
  await choose('tenants: 7');
  await getDialog(page).getByRole('alert').waitFor();
  expect(await button(getDialog(page), 'Apply').isDisabled()).toBe(true);
  await choose('tenants: [{ slug: first, name: First, items: [{ sku: GUJI, name: Guji natural, salePrice: 9 }] }]');
  await expect.poll(() => getDialog(page).getByRole('table', { name: 'Changes' }).locator('td').allInnerTexts()).toContain('first');
  await button(getDialog(page), 'Apply').click();
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
  expect((await a.s.get(`/v1/items/${id}`)).body.data.name).toBe('Guji natural');

  await page.getByLabel('Events a minute').selectOption('60');
  await button(page, 'Start').click();
  expect(await page.getByRole('log', { name: 'Events' }).innerText()).toMatch(/^\d\d:\d\d:\d\d {2}\S/u);
  await button(page, 'Stop').click();
  await button(page, 'Start').waitFor();
  expect(browser.complaints.filter((complaint) => !/status of 400/u.test(complaint))).toEqual([]);
});

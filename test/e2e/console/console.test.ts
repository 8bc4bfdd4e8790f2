/** The console of a daemon: its command, the daemon killed and restarted under it, and turned off. */
import { expect, test } from 'vitest';
import { openBrowser } from '../../support/browser/browser.ts';
import { stockroomClient } from '../../../src/client/index.ts';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { makeHome } from '../../support/cli/home.ts';
import { createDatabase } from '../../support/postgres/databases.ts';

test('console keeps its session and shows what is new when its daemon was killed and is back', async () => {
  await using home = await makeHome();
  const { url, pid } = await home.start();
  const { body } = await home.json(['console']);
  const link = body.url as string;
  expect(link).toMatch(new RegExp(`^${url ?? ''}/console#code=[\\w-]{32}$`, 'u'));
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(link);
  await page.locator('.shell main h1').waitFor();
  await page.goto(`${url ?? ''}/console/items`);
  await page.getByText('No items yet').waitFor();
  process.kill(pid ?? 0, 'SIGKILL');
  await page.locator('.banner').waitFor();
  const port = new URL(url ?? '').port;
  expect((await home.json(['daemon', 'start', '--port', port])).exit).toBe(0);
  await home.json(['items', 'create', '--name', 'Bolt', '--sku', 'B-1']);
  await page.getByRole('link', { name: 'B-1' }).waitFor();
  await expect.poll(() => page.locator('.banner').count()).toBe(0);
  expect((await home.json(['keys', 'list', '--search', 'Console'])).body.data).toHaveLength(1);
});

test('the console shows changes of two daemons and reconnects after its own is killed', async () => {
  await using database = await createDatabase();
  await using home = await makeHome();
  const start = async (name: string, port = '0'): Promise<DaemonStatus> => {
    const args = ['daemon', 'start', '--data-dir', home.path(name), '--port', port, '--drain-seconds', '0'];
    const { exit, body, stderr } = await home.json(args, { env: { STOCKROOM_STORE: database.url } });
    expect(exit, stderr).toBe(0);
    return (body as { data: DaemonStatus }).data;
  };
  const [own, other] = [await start('own'), await start('other')];
  const { body: key } = await home.json(['keys', 'create', '--all-scopes', '--data-dir', home.path('own')]);
  await using client = stockroomClient({ url: String(other.url), apiKey: (key as { secret: string }).secret });
  const { body } = await home.json(['console', '--data-dir', home.path('own')]);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(body.url as string);
  await page.getByRole('link', { name: 'Items' }).click();
  await page.getByText('No items yet').waitFor();
  // Written by the other daemon.
  await client.items.create({ name: 'Bolt', sku: 'B-1' });
  await page.getByRole('link', { name: 'B-1' }).waitFor();
  // Written by the page, and read from the other daemon.
  await page.getByRole('button', { name: 'New item' }).click();
  await page.getByLabel('Name required').fill('Nut');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Nut' }).waitFor();
  expect(await client.items.list({ search: 'Nut' }).all()).toHaveLength(1);
  process.kill(Number(own.pid), 'SIGKILL');
  await page.locator('.banner').waitFor();
  await client.items.create({ name: 'Washer', sku: 'W-1' });
  await start('own', new URL(String(own.url)).port);
  await page.getByRole('link', { name: 'W-1' }).waitFor();
  await expect.poll(() => page.locator('.banner').count()).toBe(0);
});

test('the Lab shows what a run of torture found, where there was one', async () => {
  await using home = await makeHome();
  const { dataDir } = await home.start();
  const { body } = await home.json(['console']);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(body.url as string);
  await page.getByRole('link', { name: 'Lab' }).click();
  await page.getByText('Live demo').waitFor();
  expect(await page.getByRole('table', { name: 'Torture' }).count()).toBe(0);
  const env = { STOCKROOM_DATA_DIR: dataDir };
  const program = "fetch(process.env.STOCKROOM_URL + '/v1/items')";
  const { exit, stderr } = await home.run(['torture', '--runs', '1', '--seed', '1', '--', process.execPath, '-e', program], { env });
  expect([0, 9], stderr).toContain(exit);
  await page.getByRole('table', { name: 'Torture' }).getByText('/v1/items').waitFor();
});

test('console --read-only reads, and offers no change', async () => {
  await using home = await makeHome();
  await home.start();
  await home.json(['items', 'create', '--name', 'Nut', '--sku', 'N-1']);
  const { body } = await home.json(['console', '--read-only']);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(body.url as string);
  await page.getByRole('link', { name: 'Items' }).click();
  await page.getByRole('link', { name: 'N-1' }).click();
  await page.locator('.panel').getByRole('button', { name: 'Show as' }).waitFor();
  for (const name of ['New item', 'Edit', 'Delete']) expect(await page.getByRole('button', { name }).count()).toBe(0);
  await page.getByText('Read-only').waitFor();
});

test('daemon start --no-console serves no console, also after a restart', async () => {
  await using home = await makeHome();
  const { url } = await home.start(['--no-console']);
  const check = async (): Promise<void> => {
    expect((await fetch(`${url ?? ''}/console`)).status).toBe(404);
    expect(await (await fetch(url ?? '', { headers: { accept: 'text/html' } })).text()).not.toContain('/console');
    const { exit, stderr } = await home.run(['console']);
    expect([exit, stderr]).toEqual([5, expect.stringContaining('--no-console')]);
  };
  await check();
  await home.run(['daemon', 'restart']);
  await check();
});

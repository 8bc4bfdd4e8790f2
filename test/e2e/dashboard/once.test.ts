/** `dashboard --once` and `usage --watch`: deliveries and limits without a full screen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUN } from '../../support/cli/home.ts';
import { openShop } from '../../support/cli/running-daemon.ts';
import { expectUsable, openTerminal } from '../../support/cli/terminal.ts';
import { type WatchedShop, openWatchedShop } from '../../support/cli/daemon-with-webhooks.ts';

let watched: WatchedShop;
beforeAll(async () => {
  watched = await openWatchedShop();
});
afterAll(() => watched?.[Symbol.asyncDispose]());

describe('the dashboard without a terminal', () => {
  test('is rejected in two sentences, with alternatives', async () => {
    const { exit, stdout, stderr } = await watched.shop.home.run(['dashboard']);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/requires a terminal\n.*dashboard --once.*deliveries tail --json/u);
    expect((await watched.shop.home.json(['dashboard'])).body.error).toMatchObject({ code: 'USAGE', exit: 2 });
  });

  test('prints one frame without colors with --once, and the same data as JSON', async () => {
    await watched.traffic();
    await expect.poll(async () => (await watched.shop.home.run(['dashboard', '--once'])).stdout).toMatch(/Warehouse\s+x failing/u);
    const { exit, stdout } = await watched.shop.home.run(['dashboard', '--once', '--ascii']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\* live/u);
    expect(stdout).toMatch(/^[1-9]\d* deliveries\/min/mu);
    expect(stdout).toMatch(/^[\n -~]*$/u);
    const { body } = await watched.shop.home.json(['dashboard', '--once']);
    expect(body.data).toMatchObject({ connection: 'live', failingEndpoints: 1, service: watched.shop.daemon.url });
    expect(JSON.stringify(body)).not.toContain(watched.shop.key);
  });

  test('shows nothing of the tenant of the key with --tenant of another', async () => {
    await using own = await openShop([{ name: 'Nut' }]);
    await own.home.json(['tenants', 'create', '--name', 'Other', '--slug', 'other']);
    const { data } = (await own.home.json(['dashboard', '--once', '--tenant', 'other'])).body;
    expect(data.requestsByCapability).toEqual([]);
    const { stdout } = await own.home.run(['dashboard', '--once', '--tenant', 'local']);
    expect(stdout).toContain('Local');
    const ofKey = (await own.home.json(['dashboard', '--once', '--tenant', 'local'])).body.data;
    expect(ofKey.requestsByCapability).toContainEqual(expect.objectContaining({ capability: 'items.create' }));
  });

  test('includes changes of the last 30 days', async () => {
    await using own = await openShop([{ name: 'Nut' }]);
    expect((await own.home.run(['clock', 'advance', '20d'])).exit).toBe(0);
    const { data } = (await own.home.json(['dashboard', '--once'])).body;
    expect(data.audit).toContainEqual(expect.objectContaining({ action: 'item.created' }));
  });

  test('includes the audit log and the requests of the period with --once, at any service time', async () => {
    await using own = await openShop();
    for (const clock of [
      ['advance', '25h'],
      ['set', '2020-02-02T00:00:00Z'],
    ]) {
      expect((await own.home.run(['clock', ...clock])).exit).toBe(0);
      const { id } = (await own.home.json(['items', 'create', '--name', 'Nut'])).body.data as { id: string };
      const { data } = (await own.home.json(['dashboard', '--once'])).body;
      expect(data.audit).toContainEqual(expect.objectContaining({ action: 'item.created', resourceId: id }));
      expect(data.requestsByCapability).toContainEqual(expect.objectContaining({ capability: 'items.create' }));
    }
  });

  test('reads a remote service by its public API, with at most half of the rate limit of the key', async () => {
    const post = async (path: string, body: object) => {
      const { status, text } = await watched.shop.http('POST', path, body);
      expect(status, text).toBe(201);
      return (JSON.parse(text) as { data: { id: string } }).data.id;
    };
    const contactId = await post('/v1/contacts', { name: 'Ada' });
    const lines = [{ itemId: await post('/v1/items', { name: 'Nut' }), quantity: 1 }];
    const late = { orderDate: '2026-01-02', dueDate: '2026-01-03' };
    await post('/v1/orders', { module: 'sell', status: 'open', contactId, ...late, lines });
    const key = await watched.shop.addKey(['--tier', 'standard']);
    const env = { ...watched.shop.remoteEnv, STOCKROOM_API_KEY: key };
    const { exit, stdout } = await watched.shop.home.run(['dashboard', '--once'], { env });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\* polling/u);
    expect(stdout).toMatch(/polling, at most 60 of 120 requests\/min/u);
    expect(stdout).toMatch(/deliver(?:y|ies) failed for good/u);
    expect(stdout).toMatch(/SO-\d+ is late, due 2026-01-03/u);
  });

  test('reports that no daemon is running', async () => {
    const { exit, stderr } = await watched.shop.home.run(['dashboard', '--once'], {
      env: { STOCKROOM_DATA_DIR: watched.shop.home.path('nowhere') },
    });
    expect([exit, stderr]).toEqual([7, expect.stringMatching(/^Error: No daemon is running for /u)]);
  });

  test('usage --watch prints each change of a limit as a JSON object', async () => {
    const child = watched.shop.home.spawn(['usage', '--watch', '--json']);
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await expect.poll(() => out).toContain('"keyPrefix"');
    await watched.traffic();
    const known = () =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { limit: number; remaining: number });
    await expect.poll(() => known().some(({ limit, remaining }) => remaining < limit)).toBe(true);
    child.kill('SIGINT');
    await child;
    expect(out).not.toContain('\u001b');
  });
});

test.each([
  [80, 'screen'],
  [120, 'screen-256color'],
])('--once prints the colors of a terminal of %i columns whose TERM is %s, and nothing broken', async (columns, term) => {
  await watched.traffic();
  await watched.countFailed();
  await using terminal = await openTerminal(watched.shop.home, { columns, rows: 30 });
  // Fewer lines than the terminal has, so that the end of the command does not scroll the first ones away.
  const { exit, output } = await terminal.type(
    `stty rows 24; env -u NO_COLOR TERM=${term} '${process.execPath}' '${RUN}' dashboard --once`,
  );
  const [first, ...others] = output.filter((line) => line.trim() !== '');
  expect([exit, first]).toEqual([0, expect.stringMatching(/^127\.0\.0\.1:\d+ {2}Local \(enterprise\) +\* live$/u)]);
  expect(output.indexOf(first ?? '') + 2).toBe(output.findIndex((line) => line.startsWith('[0 Overview]')));
  expect(others.join('\n')).toMatch(/Warehouse +x failing/u);
  expect(output.join('\n')).not.toMatch(/\ufffd|\[3\d/u);
  const colors = await terminal.colors();
  // Green and red, of the 16 colors or of the palette.
  expect([...colors].toSorted()).toEqual(expect.arrayContaining(term === 'screen' ? ['31', '32'] : ['38;5;196', '38;5;28']));
});

test('usage --watch draws gauges in a few lines without taking over the terminal', async () => {
  await using terminal = await openTerminal(watched.shop.home, { columns: 80, rows: 24 });
  await terminal.run('usage --watch');
  await terminal.shows(/pk_test_\S+ +\[#*-+\] +[\d,]+\/[\d,]+ left/u);
  expect((await terminal.modes()).alternate).toBe(false);
  await terminal.press('C-c');
  expect((await terminal.ends()).exit).toBe(130);
  await expectUsable(terminal);
});

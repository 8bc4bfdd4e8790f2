/** The keys of the dashboard in a real terminal, with a real daemon and real deliveries. */
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isLongRun } from '../../support/long-run.ts';
import { type Terminal, expectUsable, openTerminal } from '../../support/cli/terminal.ts';
import { type WatchedShop, openWatchedShop } from '../../support/cli/daemon-with-webhooks.ts';

let watched: WatchedShop;
beforeAll(async () => {
  watched = await openWatchedShop();
});
afterAll(() => watched?.[Symbol.asyncDispose]());

/** Created before the tests: two deliveries of each. */
const ITEMS = 3;

const getRows = (screen: string): string[] => screen.split('\n').filter((line) => /^[> ] \d\d:\d\d:\d\d /u.test(line));

/** Returns to the whole list of deliveries, following it, without a filter or pause, and waits until no delivery is under way. */
const calm = async (terminal: Terminal): Promise<void> => {
  await terminal.press('Escape', '1');
  await terminal.shows(/\[1 Deliveries\]/u);
  // The first Escape may only have closed a detail; this one also ends `f`.
  await terminal.press('Escape', 'G');
  const screen = await terminal.shows((text) => /\[1 Deliveries\]/u.test(text) && !text.includes('problems only'));
  if (screen.includes('PAUSED')) await terminal.press('p');
  const isCalm = (text: string): boolean => !/PAUSED|problems only/u.test(text) && !/pending|retrying/u.test(getRows(text).join('\n'));
  await terminal.shows(isCalm, 'a calm list');
};

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
])('the dashboard at $columns x $rows', (size) => {
  let terminal: Terminal;
  let isSpoilt = false;
  const openDashboard = async () => {
    const pager = watched.shop.home.path('pager.sh');
    await writeFile(pager, 'cat "$1"\necho in the pager\nread answer\n');
    terminal = await openTerminal(watched.shop.home, size, { PAGER: `sh ${pager}` });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('3');
    await terminal.shows((text) => text.includes('Shop sync') && text.includes('Warehouse'), 'both endpoints');
  };
  beforeAll(async () => {
    await openDashboard();
    await watched.traffic(ITEMS);
    await terminal.press('1');
    await terminal.shows((text) => getRows(text).length >= 2 * ITEMS, 'the deliveries of all items');
  });
  afterAll(() => terminal?.[Symbol.asyncDispose]());

  beforeEach(async ({ onTestFailed }) => {
    watched.bad.answer = 500;
    // A test that has failed may have left anything on the screen.
    if (isSpoilt) {
      await terminal[Symbol.asyncDispose]();
      await openDashboard();
      isSpoilt = false;
    }
    onTestFailed(() => void (isSpoilt = true));
    await calm(terminal);
  });

  test('shows and counts successful and failed deliveries live', async () => {
    await watched.traffic(2);
    const screen = await terminal.shows(
      (text) => /Shop sync\s+\+ delivered\s+1\s+200/u.test(text) && /Warehouse\s+x failed\s+2\s+500/u.test(text),
    );
    expect(screen).toMatch(/inventory\.item\.created/u);
    await terminal.shows(/[1-9]\d* deliveries\/min · Warehouse failing, .* · .* left/u);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(size.columns);
    expect(await terminal.modes()).toEqual({ alternate: true, cursor: false });
  });

  test('0 to 8 and tab switch tabs', async () => {
    await terminal.press('2');
    await terminal.shows(
      (text) => /\[2 Limits\]/u.test(text) && /\S+ +\[#*-+\] +\d+\/\d+/u.test(text) && /Requests by capability/u.test(text),
    );
    await terminal.press('3');
    await terminal.shows((text) => /Warehouse\s+x failing\s+\d+ %/u.test(text) && /Shop sync\s+\+ active\s+\d+ %/u.test(text));
    await terminal.press('4');
    await watched.traffic();
    await terminal.shows(/\+ 201\s+POST\s+\/v1\/items\s+\d+ ms/u);
    await terminal.press('5');
    await terminal.shows(/item\.created\s+(?:api|item Bolt)/u);
    await terminal.press('6');
    await terminal.shows(/\[6 Items\]/u);
    await terminal.press('7');
    await terminal.shows(/\[7 Orders\]/u);
    await terminal.press('8', 'G');
    await terminal.shows(/\[8 Events\][^]*inventory\.item\.created +Bolt +x 1 of 2 failed/u);
    await terminal.press('Tab');
    await terminal.shows(/\[0 Overview\][^]*Warehouse has been failing for/u);
    await terminal.press('BTab');
    expect(await terminal.shows(/\[8 Events\]/u)).toContain('Local (enterprise)');
  });

  test('? shows all keys with their commands', async () => {
    await terminal.press('?');
    await terminal.shows(/Keys and equivalent commands/u);
    await terminal.press('G');
    await terminal.shows(/stockroom webhooks deliveries (?:resend|show|tail)/u);
    await terminal.press('Escape');
    expect(await terminal.shows((text) => getRows(text).length > 0)).toContain('Local (enterprise)');
  });

  test('adapts to the window size, and reports a window that is too small', async () => {
    await terminal.resize({ columns: 60, rows: 15 });
    await terminal.shows((text) => /\? help/u.test(text.split('\n')[14] ?? '') && text.includes('[1 Deliveries]'));
    await terminal.resize({ columns: 50, rows: 10 });
    await terminal.shows(/needs 60x15; this terminal has\s50x10/u);
    await terminal.resize({ columns: 60, rows: 15 });
    await terminal.shows(/\? help/u);
    await terminal.resize({ columns: 59, rows: 15 });
    expect((await terminal.shows(/needs 60x15; this terminal has\s59x15/u)).trim().replaceAll(/\s+/gu, ' ')).toBe(
      'The dashboard needs 60x15; this terminal has 59x15. Press q to quit.',
    );
    await terminal.resize(size);
    expect(await terminal.shows((text) => text.includes('[1 Deliveries]') && getRows(text).length > 0)).toContain('Local (enterprise)');
  });

  // What a key does is the same at any size.
  if (isLongRun || size.columns === 80) testKeys();

  test('q restores the terminal', async () => {
    await terminal.press('q');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(0);
    expect(screen).not.toContain('Deliveries');
    await expectUsable(terminal);
  });

  function testKeys(): void {
    test('/ filters by text, by regular expression and inverted, with a history', async () => {
      await terminal.press('/');
      await terminal.write('shop');
      await terminal.shows((text) => /^\/shop_/mu.test(text) && !getRows(text).some((row) => row.includes('Warehouse')));
      await terminal.press('Enter');
      await terminal.shows(/\d+ of \d+ rows.* \/shop/u);
      await terminal.press('/', 'C-u');
      await terminal.write('!/shop.*delivered/');
      await terminal.press('Enter');
      await terminal.shows((text) => getRows(text).length > 0 && getRows(text).every((row) => row.includes('Warehouse')));
      await terminal.press('Escape');
      await terminal.shows((text) => getRows(text).some((row) => row.includes('Shop sync')));
      await terminal.press('/', 'Up');
      await terminal.shows(/^\/!\/shop\.\*delivered\/_/mu);
      await terminal.press('C-u');
      await terminal.write('/(/');
      expect(await terminal.shows(/invalid regular expression/u)).toContain('Local (enterprise)');
      await terminal.press('Escape');
    });

    test('f shows only problems', async () => {
      await terminal.press('f');
      await terminal.shows((text) => /problems only/u.test(text) && getRows(text).every((row) => row.includes('Warehouse')));
      await terminal.press('f');
      expect(await terminal.shows((text) => getRows(text).some((row) => row.includes('Shop sync')))).toContain('Local (enterprise)');
    });

    test('p pauses the list and counts new rows', async () => {
      await terminal.press('p');
      const before = getRows(await terminal.shows(/PAUSED, 0 waiting/u));
      await watched.traffic();
      const screen = await terminal.shows(/PAUSED, [1-9]\d* waiting/u);
      expect(getRows(screen)).toEqual(before);
      await terminal.press('p');
      await terminal.shows((text) => !text.includes('PAUSED') && getRows(text).join() !== before.join());
    });

    test('j, k, arrows, g and G move the selection, and only G follows new rows', async () => {
      const place = (text: string) => getRows(text).findIndex((row) => row.startsWith('>'));
      await terminal.press('g');
      await terminal.shows((text) => place(text) === 0);
      await terminal.press('j', 'Down');
      await terminal.shows((text) => place(text) === 2 && !text.includes('following'));
      await terminal.press('k');
      await terminal.shows((text) => place(text) === 1);
      await terminal.press('PageDown', 'PageUp', 'Up');
      await terminal.shows((text) => place(text) === 0);
      await terminal.press('G');
      expect(await terminal.shows((text) => place(text) === getRows(text).length - 1 && text.includes('following'))).toContain(
        'Local (enterprise)',
      );
    });

    test('enter shows the reason in words, all attempts, the headers and the body', async () => {
      await watched.traffic();
      // The newest failure is the last row once no delivery is under way.
      await watched.countFailed();
      await terminal.press('f', 'G');
      await terminal.shows((text) => /Warehouse\s+x failed\s+2/u.test(getRows(text).at(-1) ?? ''), 'the last failure');
      await terminal.press('Enter');
      await terminal.shows((text) => text.includes('The receiver answered 500: it failed to handle the event.'), 'the reason');
      // They are asked for when the detail is opened, and may come after its first frame.
      const attempts = (text: string) => text.match(/ m?s +http_500/gu)?.length ?? 0;
      expect(attempts(await terminal.shows((text) => attempts(text) >= 2, 'both attempts'))).toBe(2);
      for (let page = 0; page < 4; page += 1) await terminal.press('PageDown');
      await terminal.shows(/"event": "inventory\.item\.created"|"eventId":/u);
      await terminal.press('g', 'Escape', 'f');
      await terminal.shows((text) => getRows(text).length > 0 && !text.includes('problems only'));
    });

    test('r resends a delivery, R all failed ones shown, after confirmation', async () => {
      const failed = await watched.countFailed();
      watched.bad.answer = 200;
      const sent = watched.bad.received.length;
      await terminal.press('f', 'G');
      await terminal.shows((text) => text.includes('problems only') && getRows(text).length === failed, `${String(failed)} failures`);
      await terminal.press('r');
      await terminal.shows(/Queued 1 delivery to send now; press f to show delivered ones, too/u);
      await watched.bad.count(sent + 1);
      await terminal.shows((text) => getRows(text).length === failed - 1, 'one failure less');
      await terminal.press('R');
      await terminal.shows(
        new RegExp(
          `^Resend ${String(failed - 1)} shown deliver(?:y|ies) \\(${String(failed - 1)} failed\\)[^]*^ {2}Warehouse +${String(failed - 1)} `,
          'mu',
        ),
      );
      await terminal.press('n');
      await terminal.shows(/Nothing was resent/u);
      expect(watched.bad.received.length).toBe(sent + 1);
      await terminal.press('R');
      await terminal.shows(/Resend \d+ shown deliver/u);
      await terminal.press('y');
      await terminal.shows(/Queued \d+ deliver(?:y|ies) to send now/u);
      await watched.bad.count(sent + failed);
      await terminal.press('f');
      await terminal.shows((text) => /Warehouse\s+\+ delivered\s+3/u.test(text) && !getRows(text).some((row) => row.includes('x failed')));
      watched.bad.answer = 500;
    });

    test('a in the question of R resends all failed deliveries of the service by replays, also those that are not shown', async () => {
      await watched.traffic();
      await watched.countFailed();
      await terminal.press('p');
      await terminal.shows(/PAUSED/u);
      await watched.traffic(2);
      const failed = await watched.countFailed();
      watched.bad.answer = 200;
      await terminal.press('R');
      await terminal.shows(new RegExp(`a resends all ${String(failed)} failed ones that the service has`, 'u'));
      await terminal.press('a', 'Right', 'Right');
      await terminal.shows(new RegExp(`^Resend all ${String(failed)} failed deliveries of the service[^]*100 a second`, 'mu'));
      await terminal.press('y');
      await terminal.shows(new RegExp(`Delivered ${String(failed)} of ${String(failed)} deliveries`, 'u'));
      expect(await watched.countFailed()).toBe(0);
      await terminal.press('p');
      await terminal.shows(/\d+ rows following/u);
    });

    test('R reports how many deliveries were queued, and why others were not', async () => {
      await watched.traffic(2);
      await watched.countFailed();
      await terminal.press('f', 'G');
      await terminal.shows((text) => text.includes('problems only') && (getRows(text).at(-1) ?? '').includes('x failed'), 'failures only');
      const setStatus = (status: string) => watched.shop.home.json(['webhooks', 'update', 'Warehouse', '--status', status]);
      onTestFinished(async () => void (await setStatus('active')));
      expect(await setStatus('disabled')).toMatchObject({ exit: 0 });
      await terminal.press('R', 'y');
      const screen = await terminal.shows(/Queued 0 of \d+ deliveries\. The endpoint is disabled/u);
      expect(screen.replaceAll(/\s+/gu, ' ')).toContain('Set its status to active first.');
    });

    test('T sends a test event after a confirmation, and checks the connectivity of a selected endpoint', async () => {
      const sent = watched.good.received.length;
      await terminal.press('T');
      await terminal.shows(/^Send inventory\.item\.created to \d endpoints?, as if it had happened\? y sends/mu);
      await terminal.press('y');
      await terminal.shows(/Sent inventory\.item\.created as a test: 2 deliveries/u);
      await watched.good.count(sent + 1);
      await terminal.press('3');
      await terminal.shows(/\[3 Endpoints\]/u);
      await terminal.press('g', 'T');
      await terminal.shows(/Shop sync answered 200 in \d+ ms/u);
      await terminal.press('j', 'T');
      expect(await terminal.shows(/Warehouse: The receiver answered 500/u)).toContain('Local (enterprise)');
    });

    test('enter opens the deliveries of an endpoint and the record of an audit row, and : finds a record', async () => {
      await terminal.press('3');
      await terminal.shows(/\[3 Endpoints\]/u);
      await terminal.press('g', 'Enter');
      await terminal.shows(
        (text) =>
          /\[1 Deliveries\]/u.test(text) &&
          /^Shop sync: \d+ of \d+ rows/mu.test(text) &&
          !getRows(text).some((row) => row.includes('Warehouse')),
      );
      await terminal.press('Escape');
      await terminal.shows(/\[3 Endpoints\]/u);
      expect((await watched.shop.http('POST', '/v1/items', { name: 'Nut', sku: `NUT-${String(size.columns)}` })).status).toBe(201);
      await terminal.press('5', 'G');
      await terminal.shows(/^> .*item\.created +api/mu);
      await terminal.press('Enter');
      await terminal.shows(/^audit event /mu);
      await terminal.press('G');
      await terminal.shows(/^updated at +\d/mu);
      await terminal.press('Escape', ':');
      await terminal.write(`items nut-${String(size.columns)}`);
      await terminal.press('Enter');
      await terminal.shows(
        (text) => text.includes(`items nut-${String(size.columns)}`) && new RegExp(`^sku +NUT-${String(size.columns)}$`, 'mu').test(text),
      );
      await terminal.press('J');
      await terminal.shows((text) => text.includes(`"sku": "NUT-${String(size.columns)}"`));
      await terminal.press('J');
      await terminal.press('o');
      await terminal.shows(/http:\/\/127\.0\.0\.1:\d+\/v1\/items\/[\da-f-]{36} \(copied\)/u);
      await terminal.press('Escape', ':');
      await terminal.write('items nowhere');
      await terminal.press('Enter');
      expect(await terminal.shows(/No item nowhere/u)).toContain('Local (enterprise)');
      await terminal.press('Escape');
    });

    test('c completes an order after its effect on stock was shown, and enter shows it with lines, levels, events and audit', async () => {
      const post = async (path: string, body: object) => {
        const { status, text } = await watched.shop.http('POST', path, body);
        expect(status, text).toBe(201);
        return (JSON.parse(text) as { data: { id: string; orderNumber: string } }).data;
      };
      const { id: itemId } = await post('/v1/items', { name: 'Washer', sku: `WASHER-${String(size.columns)}` });
      const lines = [{ itemId, quantity: 7 }];
      const { id: contactId } = await post('/v1/contacts', { name: 'Supplier', contactType: 'supplier' });
      const order = { module: 'buy', status: 'open', contactId, orderDate: '2026-01-02', dueDate: '2026-01-03', lines };
      const { id, orderNumber } = await post('/v1/orders', order);
      await terminal.press('7', 'g');
      await terminal.shows(new RegExp(`^> ${orderNumber} +x 2026-01-03 +open`, 'mu'));
      await terminal.press('c');
      await terminal.shows(/open → \[completed\][^]*WASHER-\d+ +Washer +0 +\+7 +7 [^]*y changes/u);
      await terminal.press('y');
      await terminal.shows((text) => text.includes(`${orderNumber} is completed`) && !text.includes(`> ${orderNumber}`), 'no open order');
      expect(JSON.parse((await watched.shop.http('GET', `/v1/orders/${id}`)).text)).toMatchObject({ data: { status: 'completed' } });
      await terminal.press(':');
      await terminal.write(orderNumber);
      await terminal.press('Enter');
      await terminal.shows(/^order number +\S+-/mu);
      await terminal.press('G');
      await terminal.shows(/^events \(2\)[^]*order\.updated[^]*^audit \(2\)[^]*order\.completed +status open → completed/mu);
      await terminal.press('Escape');
    });

    test('y copies a row as JSON or curl command, without a key', async () => {
      await terminal.press('G', 'y');
      await terminal.shows(/Copy as c: curl, j: JSON/u);
      await terminal.press('j');
      const path = /Copied as json; also in (\S+)/u.exec(await terminal.shows(/Copied as json/u))?.[1];
      const copied = await terminal.clipboard();
      expect(JSON.parse(copied)).toMatchObject({ eventType: 'inventory.item.created', request: { method: 'POST' } });
      expect(path).toMatch(/^\//u);
      await terminal.press('y', 'c');
      await terminal.shows(/Copied as curl/u);
      expect(await terminal.clipboard()).toMatch(/^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/hook' -H '.*X-Service-Signature: v1=/u);
      await watched.traffic();
      await terminal.press('4', 'G');
      await terminal.shows(/^> .*POST +\/v1\/items/mu);
      await terminal.press('y', 'c');
      await expect.poll(() => terminal.clipboard()).toContain('curl -X POST -H "X-API-Key: $STOCKROOM_API_KEY"');
      expect(await terminal.clipboard()).not.toContain(watched.shop.key.slice(-12));
    });

    test('e opens the body in the pager and returns', async () => {
      await terminal.press('G', 'e');
      const shown = await terminal.shows(/in the pager/u);
      expect(shown).toContain('"event": "inventory.item.created"');
      await terminal.press('Enter');
      await terminal.shows((text) => text.includes('[1 Deliveries]') && getRows(text).length > 0 && !text.includes('in the pager'));
    });

    test('w writes all buffered rows to a file that only the owner can read', async () => {
      await terminal.press('w');
      const saved = /Saved (\d+) rows to stockroom-deliveries-\S+\.ndjson in /u;
      const count = Number(saved.exec(await terminal.shows(saved))?.[1]);
      expect(count).toBeGreaterThanOrEqual(2 * ITEMS);
      const files = (await readdir(watched.shop.home.directory)).filter((name) => name.startsWith('stockroom-deliveries-')).toSorted();
      const path = watched.shop.home.path(files.at(-1) ?? '');
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
      expect(lines).toHaveLength(count);
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ eventType: 'inventory.item.created' });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
  }
});

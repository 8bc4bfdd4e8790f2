/** The dashboard in a real terminal: a real daemon, real traffic, one receiver that works and one that fails. */
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Shop, openShop } from '../support/shop.ts';
import { type Terminal, openTerminal } from '../support/terminal.ts';

let shop: Shop;
let good: Receiver;
let bad: Receiver;

beforeAll(async () => {
  shop = await openShop([], ['--webhook-retries', '1']);
  [good, bad] = [await startReceiver(200), await startReceiver(500)];
  await endpoint('Shop sync', good.url);
  await endpoint('Warehouse', bad.url);
});
afterAll(async () => {
  await good?.[Symbol.asyncDispose]();
  await bad?.[Symbol.asyncDispose]();
  await shop?.[Symbol.asyncDispose]();
});

async function endpoint(name: string, targetUrl: string): Promise<void> {
  const { status, text } = await shop.http('POST', '/v1/webhooks', { name, targetUrl, subscribedEvents: ['inventory.item.created'] });
  expect(status, text).toBe(201);
}

/** One delivered, one failed after two attempts. */
async function traffic(count = 1): Promise<void> {
  for (let made = 0; made < count; made += 1) expect((await shop.http('POST', '/v1/items', { name: 'Bolt' })).status).toBe(201);
}

const rowsOf = (screen: string): string[] => screen.split('\n').filter((line) => /^[> ] \d\d:\d\d:\d\d /u.test(line));

/** Back at the whole list, newest rows in sight, nothing held back and nothing on its way. */
const calm = async (terminal: Terminal): Promise<void> => {
  await terminal.press('Escape', '1', 'G');
  const screen = await terminal.shows(/\[1 Deliveries\]/u);
  if (screen.includes('PAUSED')) await terminal.press('p');
  if (screen.includes('failed only')) await terminal.press('f');
  const isCalm = (text: string): boolean => !/PAUSED|failed only/u.test(text) && !/pending|retrying/u.test(rowsOf(text).join('\n'));
  await terminal.shows(isCalm, 'a calm list');
};

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
])('at $columns x $rows', (size) => {
  let terminal: Terminal;
  beforeAll(async () => {
    const pager = shop.home.path('pager.sh');
    await writeFile(pager, 'cat "$1"\necho in the pager\nread answer\n');
    terminal = await openTerminal(shop.home, size, { PAGER: `sh ${pager}` });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
  });
  afterAll(() => terminal?.[Symbol.asyncDispose]());

  beforeEach(async () => {
    bad.answer = 500;
    await calm(terminal);
  });

  test('what is delivered and what fails appears as it happens, and the header counts it', async () => {
    await traffic(2);
    const screen = await terminal.shows(
      (text) => /Shop sync\s+\+ delivered\s+1\s+200/u.test(text) && /Warehouse\s+x failed\s+2\s+500/u.test(text),
    );
    expect(screen).toMatch(/inventory\.item\.created/u);
    await terminal.shows(/[1-9]\d* deliveries\/min · 1 endpoint failing · .* left/u);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(size.columns);
    expect(await terminal.modes()).toEqual({ alternate: true, cursor: false });
  });

  test('1 to 5 and tab change the tab', async () => {
    await terminal.press('2');
    await terminal.shows(
      (text) => /\[2 Limits\]/u.test(text) && /pk_test_\S+ \[#*-+\] +\d+\/\d+/u.test(text) && /Requests by capability/u.test(text),
    );
    await terminal.press('3');
    await terminal.shows((text) => /Warehouse\s+x failing\s+\d+ %/u.test(text) && /Shop sync\s+\+ active\s+\d+ %/u.test(text));
    await terminal.press('4');
    await traffic();
    await terminal.shows(/\+ 201\s+POST\s+\/v1\/items\s+\d+ ms/u);
    await terminal.press('5');
    await terminal.shows(/item\.created\s+api/u);
    await terminal.press('Tab');
    await terminal.shows(/\[1 Deliveries\]/u);
    await terminal.press('BTab');
    expect(await terminal.shows(/\[5 Audit\]/u)).toContain('Local (enterprise)');
    await calm(terminal);
  });

  test('/ filters by text, by expression and inversely, and is recalled', async () => {
    await terminal.press('/');
    await terminal.write('shop');
    await terminal.shows((text) => /^\/shop_/mu.test(text) && !rowsOf(text).some((row) => row.includes('Warehouse')));
    await terminal.press('Enter');
    await terminal.shows(/\d+ of \d+ rows.* \/shop/u);
    await terminal.press('/', 'C-u');
    await terminal.write('!/shop.*delivered/');
    await terminal.press('Enter');
    await terminal.shows((text) => rowsOf(text).length > 0 && rowsOf(text).every((row) => row.includes('Warehouse')));
    await terminal.press('Escape');
    await terminal.shows((text) => rowsOf(text).some((row) => row.includes('Shop sync')));
    await terminal.press('/');
    await terminal.shows(/^\/!\/shop\.\*delivered\/_/mu);
    await terminal.press('C-u');
    await terminal.write('/(/');
    expect(await terminal.shows(/no regular expression/u)).toContain('Local (enterprise)');
    await terminal.press('Escape');
    await calm(terminal);
  });

  test('f shows only what failed', async () => {
    await terminal.press('f');
    await terminal.shows((text) => /failed only/u.test(text) && rowsOf(text).every((row) => row.includes('Warehouse')));
    await terminal.press('f');
    expect(await terminal.shows((text) => rowsOf(text).some((row) => row.includes('Shop sync')))).toContain('Local (enterprise)');
  });

  test('p holds new rows back and counts them', async () => {
    await terminal.press('p');
    const before = rowsOf(await terminal.shows(/PAUSED, 0 held/u));
    await traffic();
    const screen = await terminal.shows(/PAUSED, [1-9]\d* held/u);
    expect(rowsOf(screen).length).toBe(before.length);
    await terminal.press('p');
    await terminal.shows((text) => !text.includes('PAUSED') && rowsOf(text).length > before.length);
  });

  test('j, k, arrows, g and G move, and only G follows what comes', async () => {
    const place = (text: string) => rowsOf(text).findIndex((row) => row.startsWith('>'));
    await terminal.press('g');
    await terminal.shows((text) => place(text) === 0);
    await terminal.press('j', 'Down');
    await terminal.shows((text) => place(text) === 2 && !text.includes('following'));
    await terminal.press('k');
    await terminal.shows((text) => place(text) === 1);
    await terminal.press('PageDown', 'PageUp', 'Up');
    await terminal.shows((text) => place(text) === 0);
    await terminal.press('G');
    expect(await terminal.shows((text) => place(text) === rowsOf(text).length - 1 && text.includes('following'))).toContain(
      'Local (enterprise)',
    );
  });

  test('enter shows the reason in words, every attempt, the headers and the body', async () => {
    await traffic();
    await terminal.press('f', 'G');
    await terminal.shows((text) => /Warehouse\s+x failed\s+2/u.test(rowsOf(text).at(-1) ?? ''), 'the last failure');
    await terminal.press('Enter');
    await terminal.shows((text) => text.includes('The receiver answered 500: it failed while handling the event.'), 'the reason');
    // They are asked for when the detail is opened, and may come after its first frame.
    const attempts = (text: string) => text.match(/HTTP 500 .* http_500/gu)?.length ?? 0;
    expect(attempts(await terminal.shows((text) => attempts(text) >= 2, 'both attempts'))).toBe(2);
    for (let page = 0; page < 4; page += 1) await terminal.press('PageDown');
    await terminal.shows(/"event": "inventory\.item\.created"|"eventId":/u);
    await terminal.press('g', 'Escape', 'f');
    await terminal.shows((text) => rowsOf(text).length > 0 && !text.includes('failed only'));
  });

  test('r sends a delivery again, R all failed that are shown once they are confirmed', async () => {
    await terminal.shows((text) => !/pending|retrying/u.test(rowsOf(text).join('\n')), 'no delivery under way');
    bad.answer = 200;
    const sent = bad.received.length;
    await terminal.press('f', 'G');
    const failed = rowsOf(await terminal.shows(/failed only/u)).length;
    await terminal.press('r');
    await terminal.shows(/resent 1 delivery/u);
    await bad.count(sent + 1);
    await terminal.shows((text) => rowsOf(text).length === failed - 1, 'one failure less');
    await terminal.press('R');
    await terminal.shows(new RegExp(`Resend ${String(failed - 1)} failed deliver(?:y|ies) that are shown\\? y yes`, 'u'));
    await terminal.press('n');
    await terminal.shows(/nothing was resent/u);
    expect(bad.received.length).toBe(sent + 1);
    await terminal.press('R');
    await terminal.shows(/Resend \d+ failed/u);
    await terminal.press('y');
    await bad.count(sent + failed);
    await terminal.press('f');
    await terminal.shows((text) => /Warehouse\s+\+ delivered\s+3/u.test(text) && !rowsOf(text).some((row) => row.includes('x failed')));
    bad.answer = 500;
  });

  test('T sends a test event, and on an endpoint the connectivity check', async () => {
    const sent = good.received.length;
    await terminal.press('T');
    await terminal.shows(/sent inventory\.item\.created as a test: 2 deliveries/u);
    await good.count(sent + 1);
    await terminal.press('3', 'T');
    await terminal.shows(/Shop sync answered 200 in \d+ ms/u);
    await terminal.press('j', 'T');
    expect(await terminal.shows(/Warehouse: The receiver answered 500/u)).toContain('Local (enterprise)');
    await calm(terminal);
  });

  test('y copies a row as JSON or as curl, without any key', async () => {
    await terminal.press('G', 'y');
    await terminal.shows(/Copy as: c curl, j JSON/u);
    await terminal.press('j');
    const path = /copied as json; also in (\S+)/u.exec(await terminal.shows(/copied as json/u))?.[1];
    const copied = await terminal.clipboard();
    expect(JSON.parse(copied)).toMatchObject({ eventType: 'inventory.item.created', request: { method: 'POST' } });
    expect(path).toMatch(/^\//u);
    await terminal.press('y', 'c');
    await terminal.shows(/copied as curl/u);
    expect(await terminal.clipboard()).toMatch(/^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/hook' -H '.*X-Service-Signature: v1=/u);
    await terminal.press('4', 'y', 'c');
    await expect.poll(() => terminal.clipboard()).toContain('curl -X POST -H "X-API-Key: $STOCKROOM_API_KEY"');
    expect(await terminal.clipboard()).not.toContain(shop.key.slice(-12));
    await calm(terminal);
  });

  test('e opens the body in the pager and comes back', async () => {
    await terminal.press('G', 'e');
    const shown = await terminal.shows(/in the pager/u);
    expect(shown).toContain('"event": "inventory.item.created"');
    await terminal.press('Enter');
    await terminal.shows((text) => text.includes('[1 Deliveries]') && rowsOf(text).length > 0 && !text.includes('in the pager'));
  });

  test('s saves everything that is buffered, for nobody else to read', async () => {
    await terminal.press('s');
    await terminal.shows(/saved \d+ rows to/u);
    const files = (await readdir(shop.home.directory)).filter((name) => name.startsWith('stockroom-deliveries-')).toSorted();
    const path = shop.home.path(files.at(-1) ?? '');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(8);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ eventType: 'inventory.item.created' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('? shows every key with its command', async () => {
    await terminal.press('?');
    await terminal.shows(/Keys, and the command that does the same/u);
    await terminal.press('G');
    await terminal.shows(/stockroom webhooks deliveries (?:resend|show|tail)/u);
    await terminal.press('Escape');
    expect(await terminal.shows((text) => rowsOf(text).length > 0)).toContain('Local (enterprise)');
  });

  test('it fits whatever the window becomes, and says so when it cannot', async () => {
    await terminal.resize({ columns: 60, rows: 15 });
    await terminal.shows((text) => /\? help/u.test(text.split('\n')[14] ?? '') && text.includes('[1 Deliveries]'));
    await terminal.resize({ columns: 50, rows: 10 });
    await terminal.shows(/needs 60x15; this is 50x10/u);
    await terminal.resize({ columns: 60, rows: 15 });
    await terminal.shows(/\? help/u);
    await terminal.resize({ columns: 59, rows: 15 });
    expect((await terminal.shows(/needs 60x15; this is 59x15/u)).trim()).toBe('The dashboard needs 60x15; this is 59x15. q quits.');
    await terminal.resize(size);
    expect(await terminal.shows((text) => text.includes('[1 Deliveries]') && rowsOf(text).length > 0)).toContain('Local (enterprise)');
  });

  test('q gives the terminal back as it was', async () => {
    await terminal.press('q');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(0);
    expect(screen).not.toContain('Deliveries');
    await expectUsable(terminal);
  });
});

/** Main screen, cursor, echo and lines. */
async function expectUsable(terminal: Terminal): Promise<void> {
  expect(await terminal.modes()).toEqual({ alternate: false, cursor: true });
  await terminal.write('stty -a | tr ";" "\\n" | grep -c -E "(^| )(icanon|echo)( |$)"; echo it is us""able');
  await terminal.press('Enter');
  const screen = await terminal.shows(/it is usable/u);
  expect(screen).toMatch(/^[12]$/mu);
  expect(screen).toContain('us""able');
}

describe('whatever ends it', () => {
  const size = { columns: 80, rows: 24 };

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('%s gives the terminal back', async (signal, exit) => {
    await using terminal = await openTerminal(shop.home, size);
    await terminal.write('echo before the dashboard');
    await terminal.press('Enter');
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    process.kill(await terminal.pid(), signal);
    const ended = await terminal.ends();
    expect(ended.exit).toBe(exit);
    expect(ended.screen).toContain('before the dashboard');
    expect(ended.screen).not.toContain('Deliveries');
    await expectUsable(terminal);
  });

  test('q at once, before anything is connected, ends it at once', async () => {
    await using terminal = await openTerminal(shop.home, size);
    await terminal.run('dashboard');
    await terminal.shows(/\[1 Deliveries\]/u);
    await terminal.press('q');
    expect((await terminal.ends()).exit).toBe(0);
    await expectUsable(terminal);
  });

  test('a crash gives the terminal back and says what it was', async () => {
    const crash = "process.on('SIGUSR2',()=>{throw(new(Error)('made-to-crash'))})";
    await using terminal = await openTerminal(shop.home, size, { NODE_OPTIONS: `--import=data:text/javascript,${crash}` });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    process.kill(await terminal.pid(), 'SIGUSR2');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(1);
    expect(screen).toContain('made-to-crash');
    expect(screen).not.toContain('Deliveries');
    await expectUsable(terminal);
  });

  test('an endpoint that is made, paused or deleted is seen at once, without any delivery', async () => {
    await using own = await openShop();
    await using terminal = await openTerminal(own.home, size);
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('3');
    let waited = 0;
    const seen = async (look: () => Promise<unknown>) => {
      const began = performance.now();
      await look();
      waited += performance.now() - began;
    };
    const args = ['--name', 'Fresh shop', '--target-url', good.url, '--event', 'order.created'];
    const { body } = await own.home.json(['webhooks', 'create', ...args]);
    const { id } = (body as { data: { id: string } }).data;
    await seen(() => terminal.shows(/Fresh shop\s+\+ active/u));
    expect((await own.home.run(['webhooks', 'update', id, '--status', 'paused'])).exit).toBe(0);
    await seen(() => terminal.shows(/Fresh shop\s+\S+ paused/u));
    expect((await own.home.run(['webhooks', 'delete', id, '--yes'])).exit).toBe(0);
    await seen(() => terminal.hides(/Fresh shop/u));
    // The next look of its own would come after twenty seconds each time, of which the commands take few.
    expect(waited).toBeLessThan(20_000);
  });

  test('rows of data that a snapshot has replaced go, and it goes on with the others', async () => {
    await using own = await openShop();
    const run = async (...args: string[]) => expect((await own.home.run(args)).exit, args.join(' ')).toBe(0);
    const create = (name: string) =>
      run('webhooks', 'create', '--name', name, '--target-url', good.url, '--event', 'inventory.item.created');
    await create('Kept shop');
    await run('snapshot', 'save', 'early');
    await create('Lost shop');
    await using terminal = await openTerminal(own.home, size);
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await run('items', 'create', '--name', 'Nut');
    await terminal.shows(/Lost shop\s+\+ delivered/u);
    await run('snapshot', 'load', 'early', '--yes');
    await terminal.shows(/the data of the daemon were replaced/u);
    expect(await terminal.hides(/Lost shop/u)).not.toContain('Kept shop');
    await run('items', 'create', '--name', 'Bolt');
    await terminal.shows((text) => /Kept shop\s+\+ delivered/u.test(text) && !text.includes('Lost shop'));
    await terminal.press('3');
    await terminal.shows((text) => text.includes('Kept shop') && !text.includes('Lost shop'));
  });

  test('a daemon that restarts is found again, and what happened meanwhile is caught up', async () => {
    await using terminal = await openTerminal(shop.home, { columns: 120, rows: 30 });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    expect((await shop.home.run(['daemon', 'stop'])).exit).toBe(0);
    await terminal.shows(/! reconnecting/u);
    await terminal.shows(/the daemon has gone; waiting for it/u);
    const port = new URL(shop.daemon.url ?? '').port;
    const args = [
      'daemon',
      'start',
      '--port',
      port,
      '--test-clock',
      '--tier',
      'bulk=1000000',
      '--tier',
      'trickle=3',
      '--webhook-retries',
      '1',
    ];
    expect(await shop.home.run(args)).toMatchObject({ exit: 0 });
    await terminal.shows(/the daemon is back after \d+s, restarted; (?:no delivery was missed|\d+ deliver)/u);
    await terminal.shows(/\* live/u);
    const sent = good.received.length;
    await traffic();
    await good.count(sent + 1);
    expect(await terminal.shows(/[1-9]\d* deliveries\/min/u)).toContain('Local (enterprise)');
  });
});

describe('while it is left open', () => {
  test('a key that is made or revoked, and a tier that is changed, are seen without any request', async () => {
    await using own = await openShop();
    await using terminal = await openTerminal(own.home, { columns: 120, rows: 30 });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('2');
    // Each within the patience of `shows`, before the next look of its own after thirty seconds.
    const { body } = await own.home.json(['keys', 'create', '--name', 'Late key', '--tier', 'trickle', '--all-scopes']);
    await terminal.shows(/3\/3 .*Late key/u);
    expect((await own.home.run(['tiers', 'set', 'trickle', '7'])).exit).toBe(0);
    await terminal.shows(/7\/7 .*Late key/u);
    expect((await own.home.run(['keys', 'revoke', (body as { data: { id: string } }).data.id, '--yes'])).exit).toBe(0);
    await terminal.hides(/Late key/u);
  });

  test('a daemon that hangs is not called live', async () => {
    await using own = await openShop();
    await using terminal = await openTerminal(own.home, { columns: 80, rows: 24 });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    const pid = own.daemon.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      await terminal.shows(/the daemon does not answer; waiting for it/u);
      expect(await terminal.screen()).not.toContain('* live');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await terminal.shows(/\* live/u)).not.toContain('does not answer');
  });
});

describe('without a terminal', () => {
  test('it refuses in two sentences and names what to use instead', async () => {
    const { exit, stdout, stderr } = await shop.home.run(['dashboard']);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/needs a terminal\n.*dashboard --once.*deliveries tail --json/u);
    expect((await shop.home.json(['dashboard'])).body.error).toMatchObject({ code: 'usage', exit: 2 });
  });

  test('--once prints one frame without colours, and the same as JSON', async () => {
    await traffic();
    await expect.poll(async () => (await shop.home.run(['dashboard', '--once'])).stdout).toMatch(/Warehouse\s+x failed/u);
    const { exit, stdout } = await shop.home.run(['dashboard', '--once']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\* live/u);
    expect(stdout).toMatch(/^[1-9]\d* deliveries\/min/mu);
    expect(stdout).not.toContain('\u001b');
    const { body } = await shop.home.json(['dashboard', '--once']);
    expect(body.data).toMatchObject({ connection: 'live', failingEndpoints: 1, service: shop.daemon.url });
    expect(JSON.stringify(body)).not.toContain(shop.key);
  });

  test('--once tells the audit trail and the requests of the period too, wherever the clock of the service stands', async () => {
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

  test('a remote service is read through its public API, with at most half of what the key may', async () => {
    const key = await shop.addKey(['--tier', 'standard']);
    const env = { STOCKROOM_URL: shop.daemon.url ?? '', STOCKROOM_API_KEY: key };
    const { exit, stdout } = await shop.home.run(['dashboard', '--once'], { env });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\* polling/u);
    expect(stdout).toMatch(/asking at most 60 of 120 requests\/min/u);
    expect(stdout).toMatch(/inventory\.item\.created\s+Warehouse\s+x failed/u);
  });

  test('where no daemon runs it says so', async () => {
    const { exit, stderr } = await shop.home.run(['dashboard', '--once'], { env: { STOCKROOM_DATA_DIR: shop.home.path('nowhere') } });
    expect([exit, stderr]).toEqual([7, expect.stringMatching(/no daemon is running/u)]);
  });

  test('usage --watch tells each change of a limit as an object', async () => {
    const child = shop.home.spawn(['usage', '--watch', '--json']);
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await expect.poll(() => out).toContain('"keyPrefix"');
    await traffic();
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

test('usage --watch draws gauges in a few lines and leaves the terminal alone', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('usage --watch');
  await terminal.shows(/pk_test_\S+ +\[#*-+\] +[\d,]+\/[\d,]+ left/u);
  expect((await terminal.modes()).alternate).toBe(false);
  await terminal.press('C-c');
  expect((await terminal.ends()).exit).toBe(130);
  await expectUsable(terminal);
});

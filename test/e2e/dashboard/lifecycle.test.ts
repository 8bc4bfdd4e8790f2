/** The dashboard in a real terminal, from start to exit, with a daemon that changes, hangs and restarts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openShop } from '../../support/cli/running-daemon.ts';
import { expectUsable, openTerminal } from '../../support/cli/terminal.ts';
import { type WatchedShop, openWatchedShop } from '../../support/cli/daemon-with-webhooks.ts';

/** In a dashboard whose time stands still, no interval of its own reads passes: what it shows, a message of the daemon has caused. */
const TIME_STANDS_STILL = { NODE_OPTIONS: '--import=data:text/javascript,performance.now=()=>1' };

let watched: WatchedShop;
beforeAll(async () => {
  watched = await openWatchedShop();
});
afterAll(() => watched?.[Symbol.asyncDispose]());

describe('exit of the dashboard', () => {
  const size = { columns: 80, rows: 24 };

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('%s restores the terminal', async (signal, exit) => {
    await using terminal = await openTerminal(watched.shop.home, size);
    await terminal.type('echo before the dashboard');
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('1');
    // A key that the dashboard has not read is the shell's.
    await terminal.shows(/\[1 Deliveries\]/u);
    process.kill(await terminal.pid(), signal);
    const ended = await terminal.ends();
    expect(ended.exit).toBe(exit);
    expect(ended.screen).toContain('before the dashboard');
    expect(ended.screen).not.toContain('Deliveries');
    await expectUsable(terminal);
  });

  test('q before the connection is established exits immediately', async () => {
    await using terminal = await openTerminal(watched.shop.home, size);
    await terminal.run('dashboard');
    await terminal.shows(/\[0 Overview\]/u);
    await terminal.press('q');
    expect((await terminal.ends()).exit).toBe(0);
    await expectUsable(terminal);
  });

  test('a crash restores the terminal and prints the error', async () => {
    const crash = "process.on('SIGUSR2',()=>{throw(new(Error)('made-to-crash'))})";
    await using terminal = await openTerminal(watched.shop.home, size, { NODE_OPTIONS: `--import=data:text/javascript,${crash}` });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('1');
    await terminal.shows(/\[1 Deliveries\]/u);
    process.kill(await terminal.pid(), 'SIGUSR2');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(1);
    expect(screen).toContain('made-to-crash');
    expect(screen).not.toContain('Deliveries');
    await expectUsable(terminal);
  });

  test('the dashboard shows created, paused and deleted endpoints without a delivery', async () => {
    await using own = await openShop();
    await using terminal = await openTerminal(own.home, size);
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('3');
    const args = ['--name', 'Fresh shop', '--target-url', watched.good.url, '--event', 'order.created'];
    const { body } = await own.home.json(['webhooks', 'create', ...args]);
    const { id } = (body as { data: { id: string } }).data;
    await terminal.shows(/Fresh shop\s+\+ active/u);
    expect((await own.home.run(['webhooks', 'update', id, '--status', 'paused'])).exit).toBe(0);
    await terminal.shows(/Fresh shop\s+\S+ paused/u);
    expect((await own.home.run(['webhooks', 'delete', id, '--yes'])).exit).toBe(0);
    await terminal.hides(/Fresh shop/u);
  });

  test('the dashboard removes rows of data replaced by a snapshot, and continues with the new data', async () => {
    await using own = await openShop();
    const run = async (...args: string[]) => expect((await own.home.run(args)).exit, args.join(' ')).toBe(0);
    const create = (name: string) =>
      run('webhooks', 'create', '--name', name, '--target-url', watched.good.url, '--event', 'inventory.item.created');
    await create('Kept shop');
    await run('snapshot', 'save', 'early');
    await create('Lost shop');
    await using terminal = await openTerminal(own.home, size);
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('1');
    await run('items', 'create', '--name', 'Nut');
    await terminal.shows(/Lost shop\s+\+ delivered/u);
    // The notice is shown for some seconds, which the command may take to end.
    await Promise.all([run('snapshot', 'load', 'early', '--yes'), terminal.shows(/The data of the daemon were replaced/u)]);
    expect(await terminal.hides(/Lost shop/u)).not.toContain('Kept shop');
    await run('items', 'create', '--name', 'Bolt');
    await terminal.shows((text) => /Kept shop\s+\+ delivered/u.test(text) && !text.includes('Lost shop'));
    await terminal.press('3');
    await terminal.shows((text) => text.includes('Kept shop') && !text.includes('Lost shop'));
  });

  test('the dashboard reconnects after a restart of the daemon and loads missed events', async () => {
    await using terminal = await openTerminal(watched.shop.home, { columns: 120, rows: 30 });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('1');
    const [stopped] = await Promise.all([
      watched.shop.home.run(['daemon', 'stop']),
      terminal.shows((text) => text.includes('! reconnecting') && text.includes('Daemon stopped; reconnecting…')),
    ]);
    expect(stopped.exit).toBe(0);
    const port = new URL(watched.shop.daemon.url ?? '').port;
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
    const restarted = terminal.shows(/Daemon restarted after \d+s; (?:no delivery was missed|\d+ deliver)/u);
    const [started] = await Promise.all([watched.shop.home.run(args), restarted]);
    expect(started.exit).toBe(0);
    await terminal.shows(/\* live/u);
    await terminal.press('1');
    const sent = watched.good.received.length;
    await watched.traffic();
    await watched.good.count(sent + 1);
    expect(await terminal.shows(/[1-9]\d* deliveries\/min/u)).toContain('Local (enterprise)');
  });
});

describe('an open dashboard', () => {
  test('shows created and revoked keys and a changed tier without any API request', async () => {
    await using own = await openShop();
    await using terminal = await openTerminal(own.home, { columns: 120, rows: 30 }, TIME_STANDS_STILL);
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('2');
    const { body } = await own.home.json(['keys', 'create', '--name', 'Late key', '--tier', 'trickle', '--all-scopes']);
    await terminal.shows(/3\/3 .*Late key/u);
    expect((await own.home.run(['tiers', 'set', 'trickle', '7'])).exit).toBe(0);
    await terminal.shows(/7\/7 .*Late key/u);
    expect((await own.home.run(['keys', 'revoke', (body as { data: { id: string } }).data.id, '--yes'])).exit).toBe(0);
    await terminal.hides(/Late key/u);
  });

  test('does not show a hanging daemon as live', async () => {
    await using own = await openShop();
    await using terminal = await openTerminal(own.home, { columns: 80, rows: 24 });
    await terminal.run('dashboard');
    await terminal.shows(/\* live/u);
    await terminal.press('1');
    const pid = own.daemon.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      await terminal.shows(/Daemon does not respond; waiting…/u);
      expect(await terminal.screen()).not.toContain('* live');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await terminal.shows(/\* live/u)).not.toContain('does not respond');
  });
});

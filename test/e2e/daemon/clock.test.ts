/** The test clock through the built CLI. */
import { expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';
import { openShop } from '../../support/cli/running-daemon.ts';

test('the clock is shown, advanced, set and reset, and kept across a restart', async () => {
  await using home = await makeHome();
  await home.start(['--test-clock']);
  const clock = async (...args: string[]) => (await home.json(['clock', ...args])).body.data as { now: string; offsetSeconds: number };
  expect(await clock('show')).toEqual({ now: expect.any(String), offsetSeconds: 0, testClock: true });
  expect(await clock('advance', '25h')).toEqual({ now: expect.any(String), offsetSeconds: 90_000 });
  expect(await clock('advance', '1h30m')).toMatchObject({ offsetSeconds: 95_400 });
  expect((await home.run(['daemon', 'restart'])).exit).toBe(0);
  expect(await clock('show')).toMatchObject({ offsetSeconds: 95_400, testClock: true });
  expect((await clock('set', '2030-01-01T00:00:00Z')).now).toMatch(/^2030-01-01T00:00:0/u);
  expect((await home.terminal(['daemon', 'status'])).stdout).toMatch(/test clock, 2030-01-01T00:00:\S+, .* ahead/u);
  const [{ slug }] = (await home.json(['tenants', 'list'])).body.data;
  expect(await clock('advance', '2h', '--tenant', slug)).toMatchObject({ aheadSeconds: 7_200 });
  expect((await clock('show')).now).toMatch(/^2030-01-01T00:0/u);
  expect((await clock('show', '--tenant', slug)).now).toMatch(/^2030-01-01T02:0/u);
  expect(await clock('reset', '--tenant', slug)).toMatchObject({ aheadSeconds: 0 });
  expect((await clock('reset')).offsetSeconds).toBe(0);
  await home.run(['daemon', 'restart']);
  expect((await clock('show')).offsetSeconds).toBe(0);
});

test('a start after changes in the future explains them, as does doctor, and the data is sound', async () => {
  await using home = await makeHome();
  await home.start(['--test-clock']);
  await home.run(['clock', 'advance', '40d']);
  expect((await home.run(['items', 'create', '--name', 'Bolt'])).exit).toBe(0);
  await home.run(['daemon', 'stop']);
  const { exit, stderr } = await home.run(['daemon', 'start', '--port', '0']);
  expect([exit, stderr]).toEqual([
    0,
    expect.stringContaining('Nothing is lost. Until that time, the audit trail lists new changes before it'),
  ]);
  const doctor = await home.json(['doctor']);
  expect([doctor.exit, doctor.body.data]).toMatchObject([0, { ok: true }]);
  const times = (doctor.body.data.checks as { name: string; detail: string }[]).find(({ name }) => name === 'times');
  expect(times).toEqual({ name: 'times', ok: true, detail: expect.stringMatching(/^The latest change has the time \S+, but it is /u) });
  await home.run(['daemon', 'stop']);
  await home.start(['--test-clock']);
  expect(JSON.stringify((await home.json(['doctor'])).body)).not.toContain('"times"');
});

test('a daemon on real time rejects clock changes and explains how to start one with a test clock', async () => {
  await using home = await makeHome();
  await home.start();
  for (const args of [['advance', '1h'], ['set', '2030-01-01T00:00:00Z'], ['reset']]) {
    const { exit, body } = await home.json(['clock', ...args]);
    expect([exit, body.error.code, body.error.message]).toEqual([5, 'NOT_ENABLED', expect.stringContaining('--test-clock')]);
  }
  const wrong = await home.run(['clock', 'advance', 'soon']);
  expect([wrong.exit, wrong.stdout]).toEqual([2, '']);
  expect((await home.json(['clock', 'show'])).body.data).toMatchObject({ offsetSeconds: 0, testClock: false });
});

test('relative times of lists and exports use the clock of the service, and a resumed export keeps its start', async () => {
  await using shop = await openShop([{ name: 'Old', sku: 'OLD' }]);
  const run = async (...args: string[]) => shop.home.run(args);
  expect((await run('clock', 'advance', '3h')).exit).toBe(0);
  const { body } = await shop.http('POST', '/v1/items', { name: 'New', sku: 'NEW' });
  const id = (body as { data: { id: string } }).data.id;
  expect(await run('items', 'list', '--updated-since', '2h', '-o', 'id')).toMatchObject({ exit: 0, stdout: id });
  expect((await run('items', 'export', '--updated-since', '2h', '-o', 'id')).stdout).toBe(id);
  const out = shop.home.path('audit.ndjson');
  const audit = ['audit', 'export', '--since', '2h', '--action-prefix', 'item.', '--out', out, '--resume'];
  expect((await run(...audit)).stderr).toContain('1 event written to');
  await shop.http('POST', '/v1/items', { name: 'Newer', sku: 'NEWER' });
  expect((await run(...audit)).stderr).toContain('1 event written to');
  const wrong = await run('items', 'list', '--updated-since', 'lately');
  expect([wrong.exit, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('Invalid --updated-since "lately". Expected a duration or a timestamp'),
  ]);
});

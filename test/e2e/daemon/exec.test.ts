/** `stockroom exec`: runs a command with a temporary service. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, RUN, makeHome } from '../../support/cli/home.ts';
import { isListening } from '../../support/cli/daemon.ts';

const NODE = process.execPath;
const leftovers = (home: Home) => readdirSync(home.env['TMPDIR'] ?? '').filter((name) => name.startsWith('stockroom-'));
/** A script that the command runs. */
const script = (home: Home, text: string): string => {
  const path = home.path('script.mjs');
  writeFileSync(path, text);
  return path;
};
/** Prints its directory and every signal it receives. */
const WAITER = `
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => { console.log(name); if (name !== 'SIGHUP') process.exit(3); });
setInterval(() => {}, 1000);
console.log(JSON.stringify({ dir: process.env.STOCKROOM_DATA_DIR, url: process.env.STOCKROOM_URL, pid: process.pid }));`;

interface Told {
  dir: string;
  url: string;
  pid: number;
}
/** The first line that a waiting command prints. */
function started(child: ReturnType<Home['spawn']>): Promise<Told> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(JSON.parse(text.toString()) as Told));
    void child.then(({ stderr }) => reject(new Error(`ended: ${String(stderr)}`)));
  });
}
test('exec passes a new service in the environment and returns the exit code of the command', async () => {
  await using home = await makeHome();
  const path = script(
    home,
    `
    import { execFileSync } from 'node:child_process';
    const { STOCKROOM_URL: url, STOCKROOM_API_KEY: key, STOCKROOM_PROFILE: profile } = process.env;
    const reply = await fetch(url + '/v1/items', { headers: { 'x-api-key': key } });
    const cli = (...args) => execFileSync(process.execPath, [${JSON.stringify(RUN)}, ...args, '--json'], { encoding: 'utf8' });
    const created = JSON.parse(cli('items', 'create', '--name', 'Bolt')).data.name;
    const advanced = JSON.parse(cli('clock', 'advance', '25h')).data.offsetSeconds;
    const { STOCKROOM_CONTROL_URL: control, STOCKROOM_CONTROL_TOKEN: token } = process.env;
    const clock = await fetch(control + '/control/clock', { headers: { authorization: 'Bearer ' + token } });
    const offset = (await clock.json()).data.offsetSeconds;
    console.log(JSON.stringify({ offset, status: reply.status, items: (await reply.json()).data, created, advanced, profile: profile ?? null }));
    process.exit(42);`,
  );
  await home.run(['profile', 'add', 'other', '--url', 'http://127.0.0.1:9', '--tenant', 'strange', '--use']);
  const { exit, stdout, stderr } = await home.run(['exec', '--test-clock', '--', NODE, path], { env: { STOCKROOM_PROFILE: 'other' } });
  expect({ exit, stderr }).toEqual({ exit: 42, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ offset: 90_000, status: 200, items: [], created: 'Bolt', advanced: 90_000, profile: null });
  expect(leftovers(home)).toEqual([]);
  expect((await home.json(['daemon', 'list', '--all'])).body.data).toEqual([]);
});

test('exec passes stdin, stdout, stderr and flags to the command', async () => {
  await using home = await makeHome();
  const path = script(home, `process.stdin.pipe(process.stdout); console.error(process.argv.slice(2).join(' '));`);
  const { stdout, stderr, exit } = await home.run(['exec', '--', NODE, path, '--json', '--', '-x'], { input: 'hello' });
  expect({ stdout, stderr, exit }).toEqual({ stdout: 'hello', stderr: '--json -- -x', exit: 0 });
});

test('exec reports a command that does not exist or cannot run with the exit codes of shells', async () => {
  await using home = await makeHome();
  const unknown = await home.run(['exec', '--', 'no-such-command-here']);
  expect([unknown.exit, unknown.stderr]).toEqual([127, 'Error: Command not found: no-such-command-here']);
  const file = home.path('plain.txt');
  writeFileSync(file, '');
  const plain = await home.run(['exec', '--', file]);
  expect([plain.exit, plain.stderr]).toEqual([126, `Error: Cannot run ${file}: permission denied`]);
  expect(leftovers(home)).toEqual([]);
});

test('exec --help prints the complete description', async () => {
  await using home = await makeHome();
  const { stdout } = await home.run(['exec', '--help']);
  const text = stdout.replaceAll(/\s+/gu, ' ');
  for (const sentence of ['Sets STOCKROOM_URL,', 'is deleted afterwards.', 'the number of the signal that ended it.'])
    expect(text).toContain(sentence);
});

test('exec --demo loads the demo data', async () => {
  await using home = await makeHome();
  const { stdout } = await home.run(['exec', '--demo', '--', NODE, RUN, 'items', 'list', '--json']);
  expect((JSON.parse(stdout) as { pagination: { total: number } }).pagination.total).toBeGreaterThan(20);
  expect((await home.json(['profile', 'list'])).body.data).toEqual([]);
});

describe('a signal', () => {
  test.each([
    ['SIGTERM', 3],
    ['SIGINT', 3],
  ] as const)('%s is forwarded, and the exit code is that of the command', async (signal, exit) => {
    await using home = await makeHome();
    const child = home.spawn(['exec', '--', NODE, script(home, WAITER)]);
    const { dir, url } = await started(child);
    expect([existsSync(dir), await isListening(url)]).toEqual([true, true]);
    child.kill(signal);
    const { exitCode, stdout } = await child;
    expect([exitCode, String(stdout).split('\n').at(-1)]).toEqual([exit, signal]);
    expect([existsSync(dir), await isListening(url)]).toEqual([false, false]);
  });

  test('sent twice ends a command that ignores the first', async () => {
    await using home = await makeHome();
    const child = home.spawn(['exec', '--', NODE, script(home, WAITER)]);
    const { dir, pid } = await started(child);
    child.kill('SIGHUP');
    await new Promise<void>((resolve) => child.stdout?.on('data', (text: Buffer) => void (text.includes('SIGHUP') && resolve())));
    child.kill('SIGHUP');
    expect((await child).exitCode).toBe(137);
    expect([hasProcessEnded(pid), existsSync(dir)]).toEqual([true, false]);
  });

  test('that kills the command is followed by cleanup and exit code 128 plus its number', async () => {
    await using home = await makeHome();
    const child = home.spawn(['exec', '--', NODE, script(home, WAITER)]);
    const { dir, pid } = await started(child);
    process.kill(pid, 'SIGKILL');
    expect((await child).exitCode).toBe(137);
    expect(existsSync(dir)).toBe(false);
  });
});

test('the next start removes the files of a killed exec, and no others', async () => {
  await using home = await makeHome();
  const child = home.spawn(['exec', '--', NODE, script(home, WAITER)]);
  const { dir, url, pid } = await started(child);
  const alive = home.spawn(['exec', '--', NODE, script(home, WAITER)]);
  const other = await started(alive);
  child.kill('SIGKILL');
  // No process is left to end the command.
  process.kill(pid, 'SIGKILL');
  await child;
  expect(await isListening(url)).toBe(false);
  expect(existsSync(dir)).toBe(true);
  expect((await home.run(['exec', '--', NODE, '-e', ''])).exit).toBe(0);
  expect(existsSync(dir)).toBe(false);
  expect([existsSync(other.dir), await isListening(other.url)]).toEqual([true, true]);
  alive.kill('SIGTERM');
  await alive;
  expect(leftovers(home)).toEqual([]);
});

test.each([
  [['exec'], 'Missing COMMAND'],
  [['exec', '--', ''], 'Missing COMMAND'],
  [['exec', 'npm', 'test'], 'Error: Missing -- before COMMAND\nHint:  Run `stockroom exec -- npm test`'],
  [
    ['exec', '--demo', '--port', '0', './my ci.sh', '--port', '9', '--coverage'],
    "Run `stockroom exec --demo --port 0 -- './my ci.sh' --port 9 --coverage`",
  ],
  [['exec', '--port', 'x', '--', 'true'], '--port'],
  [['exec', '--tier', 'fast', '--', 'true'], 'NAME=PER_MINUTE'],
])('%j is rejected with a one-line error and leaves no files', async (args, words) => {
  await using home = await makeHome();
  const { exit, stdout, stderr } = await home.run(args);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toContain(words);
  expect(leftovers(home)).toEqual([]);
});

test('daemon start and demo with --ephemeral leave no files', async () => {
  await using home = await makeHome();
  for (const args of [
    ['daemon', 'start', '--port', '0', '--ephemeral'],
    ['demo', '--ephemeral'],
  ]) {
    const { exit, body } = await home.json(args);
    expect(exit).toBe(0);
    const { dataDir } = (body as { data: { dataDir: string } }).data;
    expect(existsSync(dataDir)).toBe(true);
    expect((await home.json(['tenants', 'list', '--data-dir', dataDir])).body.data.length).toBe(args[0] === 'demo' ? 4 : 1);
    expect((await home.run(['daemon', 'stop', '--data-dir', dataDir])).exit).toBe(0);
    expect(existsSync(dataDir)).toBe(false);
  }
  expect((await home.json(['profile', 'list'])).body.data).toEqual([]);
});

test('a missing temporary directory is reported in one line', async () => {
  await using home = await makeHome();
  const { exit, stderr } = await home.run(['exec', '--', 'true'], { env: { TMPDIR: home.path('nowhere') } });
  expect(exit).toBe(7);
  expect(stderr).toMatch(/^Error: Cannot create a directory in \S+nowhere: .*\nHint: {2}Choose another directory with TMPDIR$/u);
});

test('pages of the origins of --cors, or else of the project, may use the service of exec', async () => {
  await using home = await makeHome();
  const path = script(
    home,
    `
    const ask = async (origin) => {
      const { headers } = await fetch(process.env.STOCKROOM_URL + '/v1/items', { headers: { origin, 'x-api-key': process.env.STOCKROOM_API_KEY } });
      return headers.get('access-control-allow-origin');
    };
    console.log(JSON.stringify([await ask('http://localhost:5173'), await ask('http://localhost:9999')]));`,
  );
  writeFileSync(home.path('.stockroom.json'), '{"cors":["http://localhost:5173"]}', { mode: 0o600 });
  const [flag, file] = [['--cors', 'http://localhost:9999'], []];
  expect(JSON.parse((await home.run(['exec', ...file, '--', NODE, path])).stdout)).toEqual(['http://localhost:5173', null]);
  expect(JSON.parse((await home.run(['exec', ...flag, '--', NODE, path])).stdout)).toEqual([null, 'http://localhost:9999']);
});

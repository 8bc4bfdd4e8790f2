/** What the dashboard does with its terminal: lends it to a pager, stops as a job of the shell, and draws it again. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { RUN } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';
import { type Terminal, expectUsable, openTerminal } from '../../support/cli/terminal.ts';
import { type WatchedShop, openWatchedShop } from '../../support/cli/daemon-with-webhooks.ts';

const SIZE = { columns: 80, rows: 24 };
const RESIZED = { columns: 100, rows: 30 };
/** Three quick changes of the size and back garbled every third dashboard before it was drawn again after each. */
const RESIZE_SEQUENCES = isLongRun ? 40 : 4;
/** Ends with the line `leave`, not with Ctrl-C, as `less` does. Counts its runs. */
const PAGER = `trap 'echo interrupted' INT
echo $$ >>"$0.pids"
cat "$1"
echo in the pager
while [ -t 0 ] && [ "$answer" != leave ]; do read answer && echo "has read $answer"; done
`;

let watched: WatchedShop;
let temporary: string;
let pager: string;
beforeAll(async () => {
  watched = await openWatchedShop();
  await watched.traffic();
  temporary = watched.shop.home.path('temporary');
  pager = watched.shop.home.path('leaving-pager.sh');
  await writeFile(pager, PAGER);
});
afterAll(() => watched?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary);
  await rm(`${pager}.pids`, { force: true });
});

async function openDashboard(size = SIZE, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const terminal = await openTerminal(watched.shop.home, size, { TMPDIR: temporary, PAGER: `sh ${pager}`, ...env });
  await terminal.run('dashboard');
  await terminal.shows(/\* live/u);
  await terminal.press('1');
  await terminal.shows(/Shop sync +\+ delivered/u);
  return terminal;
}

/** Every part is in its line, and nothing else is there. */
function isIntact(screen: string, rows: number): boolean {
  const lines = screen.trimEnd().split('\n');
  const below = lines.slice(4, -1);
  return (
    lines.length === rows &&
    /^127\.0\.0\.1:\d+ {2}Local \(enterprise\) +\* live$/u.test(lines[0] ?? '') &&
    /^[\d,]+ deliveries\/min/u.test(lines[1] ?? '') &&
    (lines[2] ?? '').includes('[1 Deliveries]') &&
    /^ {2}TIME +EVENT +ENDPOINT/u.test(lines[3] ?? '') &&
    below.every((line) => line === '' || /^[> ] \d\d:\d\d:\d\d inventory\.item/u.test(line)) &&
    /^\d+ rows following .*\? help/u.test(lines.at(-1) ?? '')
  );
}

const readPids = async (): Promise<string[]> => (await readFile(`${pager}.pids`, 'utf8')).trim().split('\n');

test('a program that has the terminal owns its keys and Ctrl-C, and no key starts another', async () => {
  await using terminal = await openDashboard();
  await terminal.press('G');
  await terminal.write('eeq');
  await terminal.shows(/in the pager/u);
  await terminal.press('C-c');
  await terminal.shows(/interrupted/u);
  await terminal.write('eq');
  await terminal.press('Enter');
  await terminal.shows(/has read eq/u);
  expect(await readdir(temporary)).toHaveLength(1);
  await terminal.write('leave');
  await terminal.press('Enter');
  await terminal.shows((screen) => isIntact(screen, SIZE.rows), 'the whole dashboard');
  expect(await readPids()).toHaveLength(1);
  expect(await readdir(temporary)).toEqual([]);
  await terminal.press('q');
  expect((await terminal.ends()).exit).toBe(0);
  await expectUsable(terminal);
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['a crash', 1],
] as const)('%s ends the program that has the terminal and removes its file', async (ending, exit) => {
  const crash = "process.on('SIGUSR2',()=>{throw(new(Error)('made-to-crash'))})";
  await using terminal = await openDashboard(SIZE, { NODE_OPTIONS: `--import=data:text/javascript,${crash}` });
  await terminal.press('G', 'e');
  await terminal.shows(/in the pager/u);
  expect(await readdir(temporary)).toHaveLength(1);
  process.kill(await terminal.pid(), ending === 'a crash' ? 'SIGUSR2' : ending);
  const ended = await terminal.ends();
  expect(ended.exit).toBe(exit);
  const [pid = ''] = await readPids();
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(await readdir(temporary)).toEqual([]);
  await expectUsable(terminal);
});

test('keys pressed while it starts are handled and leave no trace on the screen, and Ctrl-L draws everything again', async () => {
  await using terminal = await openTerminal(watched.shop.home, SIZE);
  await terminal.run('dashboard', { enter: false });
  await terminal.press('Enter', '3', '1');
  const intact = (screen: string): boolean => isIntact(screen, SIZE.rows);
  await terminal.shows(intact, 'the whole dashboard');
  await writeFile(`/proc/${String(await terminal.pid())}/fd/1`, '\u001b[6;9Hspoilt\u001b[1;5Hspoilt');
  await terminal.shows(/spoilt[^]*spoilt/u);
  await terminal.press('C-l');
  await terminal.shows(intact, 'the whole dashboard');
  await terminal.press('q');
  const { exit, screen } = await terminal.ends();
  expect(exit).toBe(0);
  expect(screen).not.toMatch(/31$/mu);
});

test('stops with Ctrl-Z and SIGTSTP as a job of the shell, and draws everything again when it continues', async () => {
  await using terminal = await openDashboard();
  const pid = await terminal.pid();
  const stops = {
    'Ctrl-Z': () => terminal.press('C-z'),
    SIGTSTP: () => Promise.resolve(process.kill(pid, 'SIGTSTP')),
  };
  for (const [name, stop] of Object.entries(stops)) {
    await stop();
    const { exit, screen } = await terminal.ends();
    expect([name, exit > 128, screen.includes('[1 Deliveries]')]).toEqual([name, true, false]);
    await expectUsable(terminal);
    // A stopped program gets no signal for a new size.
    await terminal.resize(RESIZED);
    await terminal.write('fg');
    await terminal.press('Enter');
    await terminal.shows((text) => isIntact(text, RESIZED.rows), `the whole dashboard after ${name}`);
    expect(await terminal.modes()).toEqual({ alternate: true, cursor: false });
    await terminal.press('3');
    await terminal.shows(/\[3 Endpoints\]/u);
    await terminal.press('1');
    await terminal.resize(SIZE);
    await terminal.shows((text) => isIntact(text, SIZE.rows), 'the whole dashboard');
  }
  // SIGSTOP cannot be handled, so the terminal is as it was until the dashboard continues.
  process.kill(pid, 'SIGSTOP');
  await terminal.shows(/Stopped/u);
  await terminal.write('fg');
  // The terminal is still in raw mode, in which Enter is no end of a line.
  await terminal.press('C-j');
  await terminal.shows((text) => isIntact(text, SIZE.rows), 'the whole dashboard after SIGSTOP');
  await terminal.press('q');
  expect((await terminal.ends()).exit).toBe(0);
  await expectUsable(terminal);
});

test('quick changes of the window size leave the whole dashboard on the screen', async () => {
  await using terminal = await openDashboard(RESIZED);
  for (let sequence = 0; sequence < RESIZE_SEQUENCES; sequence += 1) {
    for (const [columns, rows] of [
      [64 + sequence, 16],
      [130, 20 + (sequence % 9)],
      [71, 40],
      [RESIZED.columns, RESIZED.rows],
    ] as const) {
      await terminal.resize({ columns, rows });
      // A pause of 0 to 90 ms, which is the subject: the size changes before or while a frame is drawn.
      await new Promise((resolve) => setTimeout(resolve, (sequence * 37) % 91));
    }
    // A frame after the last change.
    await terminal.press('p');
    await terminal.shows((text) => text.includes('PAUSED'), 'PAUSED');
    await terminal.press('p');
    const what = `the whole dashboard after sequence ${String(sequence)}`;
    expect(await terminal.shows((text) => isIntact(text, RESIZED.rows), what)).not.toContain('PAUSED');
  }
});

test('a terminal that cannot place the cursor gets a message instead of a full screen', async () => {
  await using terminal = await openTerminal(watched.shop.home, SIZE);
  const run = `'${process.execPath}' '${RUN}' dashboard`;
  for (const [prefix, reason] of [
    ['TERM=dumb', 'TERM is "dumb"'],
    ['env -u TERM', 'TERM is not set'],
  ] as const) {
    const { exit, output } = await terminal.type(`${prefix} ${run}`);
    const text = output.join(' ').replaceAll(/ +/gu, ' ');
    expect([exit, text]).toEqual([2, expect.stringContaining(reason)]);
    expect(text).toContain('dashboard --once');
    expect((await terminal.modes()).alternate).toBe(false);
  }
});

/** Follows the README as a newcomer does: a fresh clone, an empty home, one service, one terminal, its commands in their order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { copyCheckout } from '../support/cli/checkout-copy.ts';
import { installTools } from '../support/cli/command-tools.ts';
import { type DocumentedCommand, getSection, listCommands, maskOutput } from '../support/cli/documented-commands.ts';
import { makeHome } from '../support/cli/home.ts';
import { type Terminal, openTerminal } from '../support/cli/terminal.ts';

/** For the build, on a busy machine. */
const START_TIMEOUT_MS = 150_000;
const SIZE = { columns: 100, rows: 60 };

/** Commands that need another service, or would run this test again. */
const NOT_RUN = /^npx stockroom (?:pull|exec -- npm test)/u;
/** Commands of the page whose output is the same on any day. */
const COMPARED = /--search guji|--name "Hex bolt|--name Twin/u;
const EXIT_CODES: readonly (readonly [command: RegExp, exit: number])[] = [[/--name Twin/u, 5]];
/** Commands that go on until a key is pressed: what they show, and the key. */
const INTERACTIVE: readonly (readonly [command: RegExp, shows: RegExp, key: string])[] = [
  [/^npx stockroom demo --live$/u, /press Ctrl-C to stop/u, 'C-c'],
  [/^npx stockroom webhooks listen/u, /Listening for/u, 'C-c'],
  [/^npx stockroom dashboard$/u, /Shop sync[^]*Warehouse|Warehouse[^]*Shop sync/u, 'q'],
  [/^npx stockroom daemon logs -f$/u, /"level"|has no log file/u, 'C-c'],
];
/** Commands that ask before they replace all data. */
const CONFIRMED = /^npx stockroom (?:reset|snapshot load)/u;

async function runStep(terminal: Terminal, { command, output: shown }: DocumentedCommand): Promise<void> {
  const [, shows, key] = INTERACTIVE.find(([pattern]) => pattern.test(command)) ?? [];
  if (shows !== undefined && key !== undefined) {
    await terminal.write(`clear; ${command}`);
    await terminal.press('Enter');
    await terminal.shows((screen) => !screen.includes('clear;') && shows.test(screen), command);
    await terminal.press(key);
    await terminal.shows(/ready>\s*$/u, `the prompt after ${command}`);
    return;
  }
  const typed = command.replaceAll(/(?:(\|)|\\)\n\s*/gu, '$1 ');
  const { exit, output } = await terminal.type(typed, CONFIRMED.test(command) ? { answer: 'y' } : {});
  const expected = EXIT_CODES.find(([pattern]) => pattern.test(command))?.[1] ?? 0;
  expect(exit, `${command}\n${output.join('\n')}`).toBe(expected);
  // curl exits with 0 for every response.
  expect(output.join(''), command).not.toContain('{"error":{');
  if (COMPARED.test(command)) expect(maskOutput(output), command).toBe(maskOutput(shown));
}

test('the commands of the README work one after another for a newcomer', async () => {
  await using home = await makeHome({ hasXdgFolders: false });
  const checkout = home.path('stockroom');
  await copyCheckout(checkout);
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
  const [start] = listCommands(getSection(readme, 'Two commands'));
  const env = { ...home.env, npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  const service = execa(`${start?.command.split('#')[0]?.trim() ?? ''} -- --port 0`, {
    shell: true,
    cwd: checkout,
    env,
    extendEnv: false,
    reject: false,
    all: true,
  });
  let printed = '';
  service.all.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  // Without a terminal the key is not printed, so no curl command either.
  await expect.poll(() => printed, { timeout: START_TIMEOUT_MS }).toMatch(/^ {2}npx stockroom usage$/mu);
  const port = /127\.0\.0\.1:(\d+)/u.exec(printed)?.[1] ?? '';
  const list = (heading: string): DocumentedCommand[] => listCommands(getSection(readme.replaceAll('8625', port), heading));
  const story = [...list('Five minutes'), ...list('Data')].filter(({ command }) => !NOT_RUN.test(command));
  expect(story.length).toBeGreaterThan(20);

  await using terminal = await openTerminal(
    { ...home, directory: checkout },
    SIZE,
    await installTools(home, join(checkout, 'bin', 'run.js')),
  );
  const isStop = ({ command }: DocumentedCommand): boolean => command === 'npx stockroom daemon stop';
  for (const step of story.filter((each) => !isStop(each))) await runStep(terminal, step);
  for (const step of story.filter(isStop)) await runStep(terminal, step);
  expect((await service).exitCode, printed).toBe(0);
});

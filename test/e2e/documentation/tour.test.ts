/** Runs each command of the tour in a terminal of 100 columns and compares the screen with the page. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RUN, makeHome } from '../../support/cli/home.ts';
import { openTerminal } from '../../support/cli/terminal.ts';

const PAGE = new URL('../../../docs/tour.md', import.meta.url);
const TYPED = /^\$ (.+)$/u;

interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

function getSteps(page: string): Step[] {
  const lines = page.matchAll(/^```\n(.*?)^```/gmsu).flatMap(([, block = '']) => block.trimEnd().split('\n'));
  const steps: { command: string; output: string[] }[] = [];
  for (const line of lines) {
    const command = TYPED.exec(line)?.[1];
    if (command === undefined) steps.at(-1)?.output.push(line);
    else steps.push({ command, output: [] });
  }
  return steps;
}

/** What differs from day to day. */
const masked = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}/gu, 'DAY');

test('every command of the tour prints the output shown on the page', async () => {
  await using home = await makeHome();
  await home.start(['--demo']);
  await using terminal = await openTerminal(home, { columns: 100, rows: 60 });
  await terminal.shows(/ready>/u);
  // Without the time that npm takes to find it.
  await terminal.write(`npx() { shift; npm_command=exec '${process.execPath}' '${RUN}' "$@"; }`);
  await terminal.press('Enter');
  const steps = getSteps(readFileSync(PAGE, 'utf8'));
  expect(steps.length).toBeGreaterThan(20);
  for (const [at, { command, output }] of steps.entries()) {
    // The typed line goes with all before it; the mark shows that the output is complete.
    await terminal.write(`clear; ${command}; echo end of ${String(at)}`);
    await terminal.press('Enter');
    const mark = new RegExp(`^end of ${String(at)}$`, 'mu');
    const screen = await terminal.shows((text) => mark.test(text) && !text.includes('clear;'), command);
    expect(masked(screen.split(mark)[0]?.trimEnd().split('\n') ?? []), command).toBe(masked(output));
  }
});

/** Runs each command of the tour in a terminal of 100 columns and compares the screen with the page. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installTools } from '../../support/cli/command-tools.ts';
import { listCommands, maskOutput } from '../../support/cli/documented-commands.ts';
import { makeHome } from '../../support/cli/home.ts';
import { openTerminal } from '../../support/cli/terminal.ts';

const PAGE = new URL('../../../docs/tour.md', import.meta.url);

test('every command of the tour prints the output shown on the page', async () => {
  await using home = await makeHome();
  await home.start(['--demo']);
  await using terminal = await openTerminal(home, { columns: 100, rows: 60 }, await installTools(home));
  // Commands within the text show no output.
  const steps = listCommands(readFileSync(PAGE, 'utf8')).filter(({ output }) => output.length > 0);
  expect(steps.length).toBeGreaterThan(20);
  for (const { command, output } of steps) {
    const { output: printed } = await terminal.type(command);
    expect(maskOutput(printed), command).toBe(maskOutput(output));
  }
});

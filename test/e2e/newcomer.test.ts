/**
 * What newcomers do: first the README in a fresh clone, with an empty home, one service, one terminal, and its commands in their order; then
 * the everyday stories of a shop, each with the commands that its help names.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyCheckout } from '../support/cli/checkout-copy.ts';
import { installTools } from '../support/cli/command-tools.ts';
import { type DocumentedCommand, getSection, listCommands, maskOutput } from '../support/cli/documented-commands.ts';
import { type Home, makeHome } from '../support/cli/home.ts';
import { type Terminal, openTerminal } from '../support/cli/terminal.ts';

/** For the build, on a busy machine. */
const START_TIMEOUT_MS = 150_000;
const SIZE = { columns: 100, rows: 60 };

/** Commands that need another service, or would run this test again. */
const NOT_RUN = /^npx stockroom (?:pull|(?:exec|torture) -- npm test)/u;
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
const CONFIRMED = /^npx stockroom (?:reset|snapshot load|demo --reset)/u;

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
  const isStop = ({ command }: DocumentedCommand): boolean => /^npx stockroom daemon stop( --all)?$/u.test(command);
  for (const step of story.filter((each) => !isStop(each))) await runStep(terminal, step);
  for (const step of story.filter(isStop)) await runStep(terminal, step);
  expect((await service).exitCode, printed).toBe(0);
});

describe('in the demo shop', () => {
  let home: Home;
  beforeAll(async () => {
    home = await makeHome();
    await home.start(['--demo']);
    return () => home[Symbol.asyncDispose]();
  });
  const run = async (line: string) => {
    const ran = await home.run(line.split(' '), { columns: 100 });
    expect(ran.exit, `${line}\n${ran.stdout}${ran.stderr}`).toBe(0);
    return ran;
  };
  const json = async (line: string) => (await home.json(line.split(' '))).body.data;
  const getLevel = async (sku: string, site: string): Promise<{ onHand: number; available: number; incoming: number }> =>
    (await json(`stock levels --item-id ${sku} --site ${site}`))[0];

  test('the late purchase arrives in two parts', async () => {
    const { stdout } = await run('orders list buy --overdue --columns orderNumber,status');
    const number = /PO-\d+/u.exec(stdout)?.[0] ?? '';
    const before = await getLevel('PKG-VALVE', 'ROAST');
    expect((await run(`orders receive ${number} PKG-VALVE:2000 --dry-run`)).stdout).toMatch(/would be approved.*nothing was changed/u);
    const first = await run(`orders receive ${number} PKG-VALVE:2000`);
    expect(first.stderr).toContain(`left: 1000 pcs of PKG-BAG-250, 3000 pcs of PKG-VALVE`);
    const rest = await run(`orders receive ${number} --reference 4711`);
    expect(rest.stdout).toMatch(/^Degassing valve +PKG-VALVE .* 3000 +\d+ +pcs +105\.00$/mu);
    await run(`orders complete ${number}`);
    expect(await getLevel('PKG-VALVE', 'ROAST')).toMatchObject({ onHand: before.onHand + 5000 });
    expect((await run(`audit list --record ${number}`)).stdout).toMatch(/order\.status_changed/u);
  });

  test('a purchase names the unit that nobody chose, and takes unit, price and tax of --line', async () => {
    const buy = ['orders', 'create', 'buy', '--contact', 'Camilo Restrepo', '--line'];
    const bags = await home.run([...buy, 'GRN-COL:20'], { columns: 80 });
    expect(bags.stdout).toMatch(/^ +1 +GRN-COL .* 20 +bag60 +417\.00 +8340\.00 /mu);
    expect(bags.stderr).toContain('Ordered 20 bag60 of GRN-COL, 1200 in stock units. To choose the unit: --line\nITEM:QUANTITY[UNIT]');
    const kilos = await home.run([...buy, 'GRN-COL:20kg@7+23%', '--json']);
    expect([kilos.stderr, JSON.parse(kilos.stdout).data]).toEqual([
      '',
      expect.objectContaining({ total: 172.2, lines: [expect.objectContaining({ unitPrice: 7, taxPercent: 23, stockQuantity: 20 })] }),
    ]);
    const unknown = await home.run([...buy, 'GRN-COL:20kgs']);
    expect([unknown.exit, unknown.stderr]).toEqual([3, expect.stringContaining('Did you mean kg (Kilogram)?')]);
  });

  test('a sale with a shortage says what is missing, ships what is there, and the rest after a receipt', async () => {
    const { onHand } = await getLevel('MER-TOTE', 'ROAST');
    const { orderNumber } = await json(
      `orders create sell --status open --contact duarte@cafealfama.example --line MER-TOTE:${String(onHand + 5)}`,
    );
    const refused = await home.run(['orders', 'ship', orderNumber]);
    expect([refused.exit, refused.stderr]).toEqual([5, expect.stringContaining('5 of MER-TOTE missing')]);
    await run(`orders ship ${orderNumber} MER-TOTE:${String(onHand)}`);
    await run('stock receive MER-TOTE:5@3.90');
    await run(`orders ship ${orderNumber}`);
    expect(await json(`orders complete ${orderNumber}`)).toMatchObject({ status: 'completed', fulfilment: 'full' });
    expect(await getLevel('MER-TOTE', 'ROAST')).toMatchObject({ onHand: 0 });
  });

  test('a count sets what is on hand and shows the difference; a transfer moves stock between sites', async () => {
    const { onHand } = await getLevel('MER-MUG', 'ROAST');
    expect((await run(`stock count MER-MUG:${String(onHand - 2)}`)).stdout).toMatch(/^Stoneware mug .* -2 +\d+ +pcs /mu);
    const there = (await getLevel('MER-MUG', 'BAIXA')).onHand;
    await run('stock transfer ROAST BAIXA MER-MUG:3');
    expect([(await getLevel('MER-MUG', 'ROAST')).onHand, (await getLevel('MER-MUG', 'BAIXA')).onHand]).toEqual([onHand - 5, there + 3]);
  });

  test('everything that is low is ordered in one line, once', async () => {
    const { stdout, stderr } = await run('stock reorder --create');
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^PO-\d+ +PKG-BAG-250 /mu), expect.stringMatching(/^Created \d+ orders?/mu)]);
    expect((await run('stock reorder --create')).stderr).toContain('Nothing to order');
    expect((await getLevel('PKG-BAG-250', 'ROAST')).incoming).toBeGreaterThan(0);
  });
});

/** `npm run bench`: runs the cases, prints a table, writes JSON. Missing a target is a finding, not a failure; a wrong answer is a failure. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Case, NotHere, openBench } from './bench.ts';
import { checkpointCase, createP99Case } from './cases/checkpoint.ts';
import { cliCase } from './cases/cli.ts';
import { dashboardCase } from './cases/dashboard.ts';
import { eventsCase } from './cases/events.ts';
import { growthCase } from './cases/scaling.ts';
import { createCase, listCase, orderCase, readCase } from './cases/http.ts';
import { hostileBodiesCase } from './cases/hostile-bodies.ts';
import { memoryCase } from './cases/memory.ts';
import { recoveryCase } from './cases/recovery.ts';
import { searchCase } from './cases/search.ts';
import { seedCase } from './cases/seed.ts';
import { startCase } from './cases/startup.ts';
import { copiesCase, recordingCase } from './cases/testing.ts';
import { tenantsCase } from './cases/tenants.ts';
import { webhooksCase } from './cases/webhooks.ts';
import { describeMachine, findCores, pinSelf } from './machine.ts';
import { type Finding, type Report, cpuLines, heading, table } from './report.ts';
import { type Effort, startLoad } from './rounds.ts';

const CASES: readonly Case[] = [
  readCase,
  listCase,
  eventsCase,
  searchCase,
  createCase,
  orderCase,
  webhooksCase,
  hostileBodiesCase,
  checkpointCase,
  createP99Case,
  growthCase,
  startCase,
  recoveryCase,
  seedCase,
  memoryCase,
  tenantsCase,
  recordingCase,
  copiesCase,
  cliCase,
  dashboardCase,
];
const FULL: Effort = { rounds: 6, warmupMs: 700, measureMs: 2_500 };
const QUICK: Effort = { rounds: 2, warmupMs: 200, measureMs: 500 };
const FULL_ROWS = 100_000;
const QUICK_ROWS = 10_000;
const RESULTS = fileURLToPath(new URL('../../bench-results/', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    rows: { type: 'string' },
    against: { type: 'string' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const wanted = CASES.filter(({ name }) => flags.only?.includes(name) ?? true);
const rows = Number(flags.rows ?? (flags.quick ? QUICK_ROWS : FULL_ROWS));

if (flags.help || wanted.length < (flags.only?.length ?? 0) || !Number.isInteger(rows) || rows < 1_000) {
  process.stdout.write(
    [
      'npm run bench -- [--only CASE]… [--quick] [--rows N] [--against CHECKOUT] [--profile]',
      '',
      ...CASES.map(({ name, about }) => `  ${name.padEnd(12)}${about}`),
      '',
      `--rows     items in the data directory, at least 1,000; default ${String(FULL_ROWS)}`,
      '--quick    few, short rounds: shows that everything works, measures nothing',
      '--against  a built checkout of another version; read, list, create and order compare with it too',
      '--profile  CPU profiles of the daemons in bench-results/',
      '',
    ].join('\n'),
  );
  process.exitCode = flags.help ? 0 : 2;
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  const at = new Date().toISOString();
  const stamp = at.replaceAll(/[:.]/gu, '-');
  const work = join(RESULTS, `work-${String(process.pid)}`);
  mkdirSync(join(work, 'home'), { recursive: true });
  const cores = findCores();
  const machine = describeMachine(cores, work);
  pinSelf(cores);
  const load = startLoad();
  const profiles = flags.profile ? join(RESULTS, `profile-${stamp}`) : undefined;
  const bench = openBench({
    cores,
    rows,
    work,
    profiles,
    against: flags.against,
    say,
    load,
    quick: flags.quick,
    effort: flags.quick ? QUICK : FULL,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  process.once('exit', () => rmSync(work, { recursive: true, force: true }));

  const findings: Finding[] = [];
  const skipped: { case: string; why: string }[] = [];
  let failed = false;
  for (const { name, run } of wanted) {
    try {
      findings.push(...(await run(bench)));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof NotHere) {
        skipped.push({ case: name, why: message });
      } else {
        failed = true;
        skipped.push({ case: name, why: `FAILED: ${message.split('\n', 1).join('')}` });
        process.stderr.write(`\n${name}: ${(error as Error).stack ?? message}\n`);
      }
    }
  }
  load.stop();
  say('');
  const report: Report = { at, machine, rows, quick: flags.quick, findings, skipped };
  const file = join(RESULTS, `${stamp}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`);
  const left = skipped.map((entry) => `not measured: ${entry.case}: ${entry.why}`);
  process.stdout.write(
    [heading(report), '', table(findings, at), '', ...cpuLines(findings), ...left, `all figures: ${file}`, ''].join('\n'),
  );
  return failed ? 1 : 0;
}

/** Progress, for a terminal. */
function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}

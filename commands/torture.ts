import { existsSync, rmSync } from 'node:fs';
import { Flags } from '@oclif/core';
import { watchInterrupts } from '../src/cli/session/interrupt.ts';
import { createProgress } from '../src/cli/bulk/progress.ts';
import { defineCommand } from '../src/cli/command/define-command.ts';
import type { Output } from '../src/cli/command-output.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { quoteForShell } from '../src/cli/errors/hints.ts';
import { fixturesFlag, prepareProjectFixtures } from '../src/cli/fixtures/started-fixtures.ts';
import { valueList } from '../src/cli/input/common-flags.ts';
import { integerFlag } from '../src/cli/input/integer-flag.ts';
import { splitCommand } from '../src/cli/input/split-command.ts';
import { formatCountWithNoun } from '../src/cli/output/numbers.ts';
import { processAccess } from '../src/cli/session/daemon-session.ts';
import { compareCopy, isUrl, readCopy } from '../src/cli/torture/copy.ts';
import { parseFaults, parseKinds } from '../src/cli/torture/plans.ts';
import { saveResult } from '../src/cli/torture/result-file.ts';
import { startProgram } from '../src/cli/torture/run-program.ts';
import { type Failed, type Outcome, torture } from '../src/cli/torture/torture.ts';
import { createClient } from '../src/client/client.ts';
import { createHttpTransport } from '../src/client/transport/transport.ts';
import { TORTURE_FAULT_KINDS, type TortureResult, formatFault, tortureResult } from '../src/contract/admin/torture.ts';
import type { TortureService } from '../src/daemon/embedded/torture-service.ts';

const SEED_MAX = 2 ** 31 - 1;
const RUNS = 100;
const TIMEOUT_S = 60;
const MS_PER_S = 1_000;
const LINES_MAX = 10;
const FIELDS = Object.keys(tortureResult.properties);
const COLUMNS = ['runs', 'failed', 'run', 'faults', 'reason', 'repeated', 'repeat'];

const tortureFlags = {
  runs: integerFlag({ min: 1, max: 100_000, helpValue: 'N', description: `Number of runs. Default: ${String(RUNS)}; 1 with --faults.` }),
  seed: integerFlag({ min: 0, max: SEED_MAX, helpValue: 'S', description: 'The same seed plans the same faults. Default: any.' }),
  faults: Flags.string({ helpValue: 'KIND:POSITION,…', description: 'Only these faults in each run, as printed after a failure.' }),
  skip: Flags.string({
    ...valueList,
    helpValue: 'KIND,…',
    description: `No faults of these kinds: ${TORTURE_FAULT_KINDS.join(', ')}.`,
    exclusive: ['faults'],
  }),
  copy: Flags.string({
    helpValue: 'URL|FILE',
    description:
      'Compare this copy of the program with the service: JSON such as {"items": [{"id": …, "name": …}]} with items, contacts, orders or stockLevels. A file is removed before and after each run.',
  }),
  fixtures: fixturesFlag,
  demo: Flags.boolean({ description: 'Load the demo data; the key is that of the tenant kestrel-coffee.' }),
  timeout: integerFlag({
    min: 1,
    max: 3_600,
    default: TIMEOUT_S,
    helpValue: 'SECONDS',
    description: 'Time of a run.',
  }),
  port: integerFlag({ min: 0, max: 65_535, default: 0, helpValue: 'N', description: 'Port to listen on. Default: any free port.' }),
};
type Given = Pick<TortureResult, 'seed' | 'command'> & {
  readonly flags: { copy?: string | undefined; fixtures?: string | undefined; demo: boolean };
};

export default defineCommand({
  access: processAccess,
  summary: 'Run a program many times while the service fails',
  description:
    'Injects faults at positions that a first run without faults has, and passes a run if the program exits with 0 and its copy equals the service; shows the fewest faults that let it fail each time, or else most often, with the command that repeats it, and exits with 9. Faults: deliveries lost, doubled, delayed or reordered, answers lost after the commit, 429, a key that expires (the next one is in the file STOCKROOM_API_KEY_FILE), records added or removed between two pages, a restart.',
  // `selectArgv` reports a missing command.
  takesMoreWords: true,
  usage: 'torture [FLAGS] -- COMMAND [ARGUMENTS]',
  flags: tortureFlags,
  examples: [
    'torture -- npm test',
    'torture --runs 500 --seed 7 --copy copy.json -- node sync.js',
    'torture --faults lose-answer:2 --runs 20 -- npm test',
    'torture --skip expire-key,restart --json -- npm test',
  ],
  selectArgv: (argv) => splitCommand(argv, 'torture', tortureFlags).own,
  async run({ argv, flags, output, session }) {
    const view = output.validateView({ fields: FIELDS, columns: COLUMNS });
    const given = flags.faults === undefined ? undefined : parseFaults(flags.faults);
    const { copy, skip = [], runs = given ? 1 : RUNS, seed = Math.floor(Math.random() * SEED_MAX) } = flags;
    const skipped = parseKinds(skip);
    const file = copy === undefined || isUrl(copy) ? undefined : copy;
    if (file !== undefined && existsSync(file))
      throw usageError(`${file} exists, but each run would remove it`, 'Remove it, or name another file with --copy');
    const { command } = splitCommand(argv, 'torture', tortureFlags);
    const startedAt = performance.now();
    const interrupt = watchInterrupts();
    const progress = createProgress({ noun: 'runs', total: runs });
    const service = await startService(flags);
    try {
      const outcome = await torture({
        target: service,
        start: () => startProgram(command, { ...process.env, STOCKROOM_PROFILE: undefined, ...service.env }, output.isVerbose),
        compare: copy === undefined ? undefined : () => readDifferences(copy, service),
        clean: () => (file === undefined ? undefined : rmSync(file, { force: true })),
        timeoutMs: flags.timeout * MS_PER_S,
        signal: interrupt.signal,
        runs,
        seed,
        skipped,
        given,
        onProgress: (done, note) => progress.show(done, null, note),
      }).catch((error: unknown) => reportFirstRun(output, error));
      progress.clear();
      const milliseconds = Math.round(performance.now() - startedAt);
      const result = toResult(outcome, { seed, command: [...command], flags }, milliseconds);
      if (interrupt.exit === null) {
        saveResult(session.dataDir, result);
        report(output, result, outcome.failure);
      } else output.printNote(`Stopped after ${formatCountWithNoun(outcome.runs, 'runs')}`);
      // A terminal has it in words.
      if (!output.isPlainTable) await output.printOne({ data: result }, view);
      process.exitCode = interrupt.exit ?? (outcome.failed > 0 ? EXIT.checkFailed : EXIT.ok);
    } finally {
      progress.clear();
      interrupt.release();
      await service.stop();
    }
  },
});

async function startService(flags: { fixtures?: string | undefined; demo: boolean; port: number }): Promise<TortureService> {
  const fixtures = await prepareProjectFixtures(flags);
  const { startTortureService } = await import('../src/daemon/lifecycle/daemon-modules.ts');
  return startTortureService({
    port: flags.port,
    demo: flags.demo,
    prepare:
      fixtures &&
      (async (transport) => {
        const client = createClient({ transport });
        return { tenantId: (await fixtures.apply(client)) ?? '', secret: fixtures.firstKey?.secret };
      }),
  });
}

async function readDifferences(copy: string, { reader: { url, key, houseContactId } }: TortureService): Promise<readonly string[]> {
  const client = createClient({ transport: createHttpTransport({ url }), key });
  return compareCopy(await readCopy(copy), client, houseContactId);
}

function toResult({ failure, ...counts }: Outcome, { seed, command, flags }: Given, milliseconds: number): TortureResult {
  const faults = failure?.faults.map(formatFault) ?? [];
  const words = [
    ...(flags.copy === undefined ? [] : ['--copy', flags.copy]),
    ...(flags.fixtures === undefined ? [] : ['--fixtures', flags.fixtures]),
    ...(flags.demo ? ['--demo'] : []),
    ...(failure ? ['--faults', faults.join(',')] : []),
    '--',
    ...command,
  ];
  return {
    at: new Date().toISOString(),
    command,
    seed,
    milliseconds,
    ...counts,
    run: failure?.number ?? null,
    faults,
    reason: failure?.run.reason ?? null,
    differences: [...(failure?.run.differences ?? [])],
    output: failure?.run.output ?? '',
    repeated: failure ? `${String(failure.count)} of ${String(failure.of)}` : null,
    repeat: failure ? ['stockroom torture', ...words.map((word) => quoteForShell(word))].join(' ') : null,
  };
}

/** For people; the result itself is on stdout. */
function report(output: Output, result: TortureResult, failure: Failed | undefined): void {
  const { runs, counts, injected, run, faults, reason, repeated, repeat } = result;
  const list = (values: Readonly<Record<string, number>>): string =>
    Object.entries(values)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${String(count)}`)
      .join(', ');
  output.printDimNote(`Without faults: ${list(counts) || 'no request and no delivery'}`);
  if (runs === 0) return output.printNote('Nothing to inject');
  if (run === null) return output.printNote(`${formatCountWithNoun(runs, 'runs')} passed; faults: ${list(injected)}`);
  output.printNote(`Run ${String(run)} failed: ${String(reason)}`);
  reportRun(output, result);
  const weak = failure && failure.count < failure.of ? ': it depends on timing' : '';
  output.printNote(`Faults: ${faults.join(', ')}; failed in ${String(repeated)} runs${weak}`);
  output.printNote(`Repeat it with \`${String(repeat)}\``);
}

/** What differs, and the end of what the program printed. */
function reportRun(output: Output, { differences, output: printed }: Pick<TortureResult, 'differences' | 'output'>): void {
  for (const difference of differences.slice(0, LINES_MAX)) output.printNote(`  ${difference}`);
  for (const line of printed.trimEnd().split('\n').slice(-LINES_MAX)) if (line !== '') output.printDimNote(`  | ${line}`);
}

/** Prints what a program printed that fails without faults; only in JSON it is part of the error. */
function reportFirstRun(output: Output, error: unknown): never {
  if (!(error instanceof Failure) || !error.details || output.wantsJson) throw error;
  reportRun(output, error.details as Pick<TortureResult, 'differences' | 'output'>);
  throw new Failure(error.code, error.message, { exit: error.exit });
}

import { randomInt } from 'node:crypto';
import { Flags, type Interfaces } from '@oclif/core';
import { createClient } from '../src/client/client.ts';
import { createDaemonTransport, requireDaemonState } from '../src/client/daemon-transport.ts';
import { readConfig, readKey } from '../src/client/profiles.ts';
import { readDaemonState } from '../src/client/local-daemons.ts';
import { DaemonCommand } from '../src/cli/base-commands/daemon-command.ts';
import { watchInterrupts } from '../src/cli/bulk/interrupt.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure } from '../src/cli/errors/failure.ts';
import { dataDirFlag, globalFlags } from '../src/cli/input/common-flags.ts';
import { integerFlag } from '../src/cli/input/integer-flag.ts';
import { withoutFlags } from '../src/cli/input/without-flags.ts';
import { watchPipeReader } from '../src/cli/output/pipe-reader.ts';
import { truncate } from '../src/cli/output/text-width.ts';
import { waitWithCountdown } from '../src/cli/output/wait-indicator.ts';
import { MAIN_DEMO_TENANT } from '../src/contract/admin/demo.ts';
import { LIVE_DEMO_PER_MIN_DEFAULT, LIVE_DEMO_PER_MIN_MAX, RATE_WINDOW_S } from '../src/contract/limits.ts';

const SEED_MAX = 4_294_967_295;
const VALUE_FLAGS = ['per-minute', 'seed'] as const;

export default class Demo extends DaemonCommand {
  static override summary = 'Load the demo data, starting the daemon if needed';
  static override description =
    'Existing demo tenants are unchanged; the receivers of their webhooks run in the daemon, on a second port of 127.0.0.1. With --live, orders of the tenant kestrel-coffee arrive, are packed and shipped, stock falls below reorder points and purchases arrive until Ctrl-C, which leaves the daemon running.';
  static override baseFlags: Interfaces.FlagInput = globalFlags;
  static override flags = {
    'data-dir': dataDirFlag,
    ephemeral: Flags.boolean({
      description: 'Use a temporary data directory, deleted on stop. The key is not saved.',
      exclusive: ['data-dir'],
    }),
    live: Flags.boolean({
      description: 'Simulate business until Ctrl-C, one line per event; with --json, one object, after that of the daemon.',
      exclusive: ['ephemeral'],
    }),
    'per-minute': integerFlag({
      min: 1,
      max: LIVE_DEMO_PER_MIN_MAX,
      helpValue: 'N',
      dependsOn: ['live'],
      description: `Events per minute. Default: ${String(LIVE_DEMO_PER_MIN_DEFAULT)}.`,
    }),
    seed: integerFlag({ min: 0, max: SEED_MAX, helpValue: 'N', dependsOn: ['live'], description: 'Seed of the random generator.' }),
  };
  static override examples = [
    '<%= config.bin %> demo',
    '<%= config.bin %> demo --data-dir ./play',
    '<%= config.bin %> demo --ephemeral',
    '<%= config.bin %> demo --live',
    '<%= config.bin %> demo --live --per-minute 60',
  ];

  private wasInterrupted = false;

  async run(): Promise<void> {
    const { flags } = await this.parse(Demo);
    // `demo` is an alias of `daemon start --demo`.
    await this.config.runCommand('daemon:start', ['--demo', ...withoutFlags(this.argv, ['live'], VALUE_FLAGS)]);
    if (flags.live) await this.runLive(flags['per-minute'] ?? LIVE_DEMO_PER_MIN_DEFAULT, flags.seed ?? randomInt(SEED_MAX));
  }

  private async runLive(perMinute: number, seed: number): Promise<void> {
    const { runLiveDemo, formatEvent, formatSummary } = await import('../src/cli/live-demo/run.ts');
    const { dataDir } = this;
    const client = createClient({
      transport: createDaemonTransport(requireDaemonState(readDaemonState(dataDir), dataDir), dataDir),
      key: this.findKey(),
      retry: { maxWaitMs: RATE_WINDOW_S * 1_000, wait: (wait) => waitWithCountdown(wait) },
    });
    const interrupt = watchInterrupts();
    watchPipeReader();
    this.printNote(this.getPaint(process.stderr)('dim', `Simulating ${String(perMinute)} events per minute; press Ctrl-C to stop`));
    const paint = this.getPaint(process.stdout);
    const counts = await runLiveDemo({
      client,
      perMinute,
      seed,
      signal: interrupt.signal,
      onEvent: async (event) => {
        const at = new Date();
        const isJson = this.wantsJson || this.globals.output === 'ndjson';
        if (isJson) return this.out.write(`${JSON.stringify({ at: at.toISOString(), ...event })}\n`, 'json');
        const line = truncate(formatEvent(event, at), this.terminalWidth ?? Infinity);
        await this.out.write(`${event.kind === 'stock_low' || event.kind === 'order_waiting' ? paint('yellow', line) : line}\n`);
      },
    });
    this.printNote(`Stopped: ${formatSummary(counts)}`);
    this.printNote(this.addDataDirFlag(dataDir, 'The daemon keeps running; `stockroom daemon stop` stops it'));
    this.wasInterrupted = true;
    this.exit(interrupt.exit ?? EXIT.ok);
  }

  /** The saved key of the demo tenant, whatever profile is active. */
  private findKey(): string {
    const { profiles } = readConfig(process.env);
    const names = Object.keys(profiles).filter(
      (each) => profiles[each]?.dataDir === this.dataDir && profiles[each].tenant === MAIN_DEMO_TENANT,
    );
    const key = names.map((name) => readKey(process.env, name)).find((saved) => saved !== undefined);
    if (key !== undefined) return key;
    throw new Failure('NO_KEY', `No key of the demo tenant ${MAIN_DEMO_TENANT} is saved`, {
      exit: EXIT.denied,
      hint: this.addDataDirFlag(this.dataDir, `Create one: \`stockroom keys create --tenant ${MAIN_DEMO_TENANT} --all-scopes --save\``),
    });
  }

  /** Exits without waiting for the request that was in progress. */
  protected override async finally(error: Error | undefined): Promise<void> {
    await super.finally(error);
    if (!this.wasInterrupted) return;
    await new Promise((resolve) => process.stdout.write('', resolve));
    process.exit();
  }
}

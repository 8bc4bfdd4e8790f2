import { Flags } from '@oclif/core';
import { ApiCommand } from '../src/cli/base-commands/api-command.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { preferSmallHeap } from '../src/cli/heap-limits.ts';
import { tenantFlag } from '../src/cli/base-commands/admin-command.ts';
import { getTerminalWidth, shouldUseColor } from '../src/cli/output/style.ts';
import { initialState } from '../src/dashboard/state/model.ts';
import type { OpenOptions } from '../src/dashboard/sources/open.ts';

/** Events within this time are shown in one update; longer for screen readers. */
const BATCH_MS = 100;
const SCREEN_READER_BATCH_MS = 5_000;
const ONCE_SIZE = { columns: 120, rows: 40 };

export default class Dashboard extends ApiCommand {
  static override summary = 'Watch deliveries, limits, requests and changes live';
  static override description =
    "Interactive terminal view with six tabs; press ? for all keys. Remote services are polled with at most half of the key's rate limit.";
  static override flags = {
    once: Flags.boolean({ description: 'Print one frame and exit; with --json, print its data.' }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> dashboard',
    '<%= config.bin %> dashboard --tenant kestrel-coffee',
    '<%= config.bin %> dashboard --once',
  ];

  /** A request may still be pending at the end, so the process must exit explicitly. */
  private mustExit = false;

  async run(): Promise<void> {
    const { flags } = await this.parse(Dashboard);
    // Both variables are read when Ink is loaded. React's development mode is about 50 % slower.
    process.env['NODE_ENV'] = 'production';
    preferSmallHeap();
    if (!shouldUseColor(process.stdout, flags['no-color'] === true)) process.env['FORCE_COLOR'] = '0';
    const isSpoken = process.env['INK_SCREEN_READER'] === 'true';
    const options = {
      target: this.resolveTarget(),
      tenant: flags.tenant,
      connect: () => this.connect(),
      batchMs: isSpoken ? SCREEN_READER_BATCH_MS : BATCH_MS,
    };
    this.mustExit = flags.once;
    await (flags.once ? this.printOnce(options) : this.runInteractively(options));
  }

  /** Exits without waiting for pending requests to a slow service. */
  protected override async finally(error: Error | undefined): Promise<void> {
    await super.finally(error);
    if (!this.mustExit) return;
    await new Promise((resolve) => process.stdout.write('', resolve));
    process.exit();
  }

  private async runInteractively(options: OpenOptions): Promise<void> {
    const other = 'Use `stockroom dashboard --once` for one frame, or `stockroom webhooks deliveries tail --json` to follow deliveries';
    if (this.wantsJson) throw usageError('The dashboard does not support --json without --once', other);
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      throw new Failure('NO_TERMINAL', 'The dashboard requires a terminal', { exit: EXIT.usage, hint: other });
    }
    const loading = import('../src/dashboard/index.tsx');
    // If the connection fails, that error is reported instead of this one.
    loading.catch(() => undefined);
    const { openSource } = await import('../src/dashboard/sources/open.ts');
    const { about, source } = await this.withWaitIndicator(openSource(options));
    const { createStore } = await import('../src/dashboard/state/store.ts');
    const { runDashboard } = await loading;
    await runDashboard({ store: createStore(initialState(about, Date.now())), source, env: process.env, cwd: process.cwd() });
    // Do not wait for pending requests to a slow service.
    process.exit();
  }

  private async printOnce(options: OpenOptions): Promise<void> {
    const { openSource } = await import('../src/dashboard/sources/open.ts');
    const { withTimeout, collectState, toSummary } = await import('../src/dashboard/once.ts');
    const { about, source } = await this.withWaitIndicator(withTimeout(openSource(options), options.target.url.value));
    const { state, isStuck } = await collectState(initialState(about, Date.now()), source);
    this.mustExit = isStuck;
    if (state.connection.state !== 'live') process.exitCode = EXIT.unreachable;
    if (this.format === 'json') {
      await this.printText(JSON.stringify({ data: toSummary(state, Date.now()) }), '');
      return;
    }
    const { renderOnce } = await import('../src/dashboard/index.tsx');
    const size =
      process.stdout.isTTY && process.stdout.rows > 0
        ? { columns: getTerminalWidth(process.stdout), rows: process.stdout.rows - 1 }
        : ONCE_SIZE;
    await this.out.write(`${renderOnce(state, Date.now(), size)}\n`);
  }
}

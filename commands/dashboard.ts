import { Flags } from '@oclif/core';
import { ApiCommand } from '../src/cli/api-command.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { Failure, usage } from '../src/cli/failure.ts';
import { preferSmallHeap } from '../src/cli/frugal.ts';
import { tenantFlag } from '../src/cli/settings-command.ts';
import { columnsOf, wantsColor } from '../src/cli/style.ts';
import { initialState } from '../src/dashboard/model.ts';
import type { OpenOptions } from '../src/dashboard/open.ts';

/** Messages of so long are shown together; a screen reader is given time to speak. */
const GATHER_MS = 100;
const GATHER_SPOKEN_MS = 5_000;
const ONCE_SIZE = { columns: 120, rows: 40 };

export default class Dashboard extends ApiCommand {
  static override summary = 'Watch deliveries, limits, endpoints, requests and the audit trail, live';
  static override description = `A screen to leave open: five tabs, a filter, details, resend; ? shows every key.
The local daemon tells everything as it happens; a service elsewhere is asked from time to time, with at most half of what the key may.`;
  static override flags = {
    once: Flags.boolean({ description: 'Print one frame and end; with --json its figures and rows.' }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> dashboard',
    '<%= config.bin %> dashboard --tenant kestrel-coffee',
    '<%= config.bin %> dashboard --once',
  ];

  /** A question may be left that is not answered yet. */
  private isStuck = false;

  async run(): Promise<void> {
    const { flags } = await this.parse(Dashboard);
    // Both are read when the terminal library is loaded. The development mode of React costs half as much again.
    process.env['NODE_ENV'] = 'production';
    preferSmallHeap();
    if (!wantsColor(process.stdout, flags['no-color'] === true)) process.env['FORCE_COLOR'] = '0';
    const isSpoken = process.env['INK_SCREEN_READER'] === 'true';
    const options = {
      target: this.findTarget(),
      tenant: flags.tenant,
      connect: () => this.connect(),
      gatherMs: isSpoken ? GATHER_SPOKEN_MS : GATHER_MS,
    };
    this.isStuck = flags.once;
    await (flags.once ? this.once(options) : this.stay(options));
  }

  /** A question that a slow service has not answered yet must not keep the reader waiting. */
  protected override async finally(error: Error | undefined): Promise<void> {
    await super.finally(error);
    if (!this.isStuck) return;
    await new Promise((resolve) => process.stdout.write('', resolve));
    process.exit();
  }

  private async stay(options: OpenOptions): Promise<void> {
    const other = '`stockroom dashboard --once` prints one frame, `stockroom webhooks deliveries tail --json` follows deliveries';
    if (this.wantsJson) throw usage('the dashboard is a screen, not data', other);
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      throw new Failure('no_terminal', 'the dashboard needs a terminal', { exit: EXIT.usage, hint: other });
    }
    const loading = import('../src/dashboard/index.tsx');
    // When nobody is there to watch, that is what the reader is told.
    loading.catch(() => undefined);
    const { openSource } = await import('../src/dashboard/open.ts');
    const { about, source } = await this.awaiting(openSource(options));
    const { createStore } = await import('../src/dashboard/store.ts');
    const { runDashboard } = await loading;
    await runDashboard({ store: createStore(initialState(about, Date.now())), source, env: process.env, cwd: process.cwd() });
    // A question that a slow service has not answered yet must not keep the reader waiting.
    process.exit();
  }

  private async once(options: OpenOptions): Promise<void> {
    const { openSource } = await import('../src/dashboard/open.ts');
    const { inTime, stateOnce, summaryOf } = await import('../src/dashboard/once.ts');
    const { about, source } = await this.awaiting(inTime(openSource(options), options.target.url.value));
    const { state, isStuck } = await stateOnce(initialState(about, Date.now()), source);
    this.isStuck = isStuck;
    if (state.connection.state !== 'live') process.exitCode = EXIT.unreachable;
    if (this.format === 'json') {
      await this.printText(JSON.stringify({ data: summaryOf(state, Date.now()) }), '');
      return;
    }
    const { drawOnce } = await import('../src/dashboard/index.tsx');
    const size =
      process.stdout.isTTY && process.stdout.rows > 0 ? { columns: columnsOf(process.stdout), rows: process.stdout.rows - 1 } : ONCE_SIZE;
    await this.out.write(`${drawOnce(state, Date.now(), size)}\n`);
  }
}

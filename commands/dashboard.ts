import { Flags } from '@oclif/core';
import { ApiCommand } from '../src/cli/api-command.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { Failure, usage } from '../src/cli/failure.ts';
import { tenantFlag } from '../src/cli/settings-command.ts';
import { wantsColor } from '../src/cli/style.ts';
import { createClient } from '../src/client/client.ts';
import { adminTransport, expectDaemon } from '../src/client/daemon.ts';
import { type Target, findTarget, readDaemon } from '../src/client/target.ts';
import { type About, initialState } from '../src/dashboard/model.ts';
import type { Source } from '../src/dashboard/source.ts';

/** Messages of so long are shown together; a screen reader is given time to speak. */
const GATHER_MS = 100;
const GATHER_SPOKEN_MS = 5_000;
const ONCE_SIZE = { columns: 120, rows: 40 };
const LIVE_KEY = /^pk_live_[^_]{1,8}/u;

export default class Dashboard extends ApiCommand {
  static override summary = 'Watch deliveries, limits, endpoints, requests and the audit trail, live';
  static override description = `A screen to leave open: five tabs, a filter, details, resend; ? shows every key.
The local daemon tells everything as it happens; a service elsewhere is asked from time to time, with at most half of what the key may.`;
  static override flags = {
    once: Flags.boolean({ description: 'Print one frame and end; with --json the figures of it.' }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> dashboard',
    '<%= config.bin %> dashboard --tenant kestrel-coffee',
    '<%= config.bin %> dashboard --once',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(Dashboard);
    if (!flags.once) this.refuseWithoutTerminal();
    // Both are read when the terminal library is loaded. Development mode of React costs half as much again.
    process.env['NODE_ENV'] = 'production';
    if (!wantsColor(process.stdout, flags['no-color'] === true)) process.env['FORCE_COLOR'] = '0';
    const loading = flags.once ? undefined : import('../src/dashboard/index.tsx');
    // When the question before the screen fails, its answer is what the reader gets.
    loading?.catch(() => undefined);
    const flagged = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = findTarget({ profile: flagged.profile, url: flagged.url, dataDir: flagged['data-dir'] }, process.env, process.cwd());
    const { about, source } = await (target.local ? this.local(target, flags.tenant) : this.remote(target));
    const state = initialState(about, Date.now());
    if (flags.once) {
      const { stateOnce, summaryOf } = await import('../src/dashboard/once.ts');
      const known = await stateOnce(state, source);
      if (known.connection.state !== 'live') process.exitCode = EXIT.unreachable;
      if (this.wantsJson) return this.printText(JSON.stringify({ data: summaryOf(known, Date.now()) }), '');
      const { drawOnce } = await import('../src/dashboard/index.tsx');
      const size = process.stdout.isTTY ? { columns: process.stdout.columns, rows: process.stdout.rows - 1 } : ONCE_SIZE;
      await this.out.write(`${drawOnce(known, Date.now(), size)}\n`);
      return;
    }
    const { createStore } = await import('../src/dashboard/store.ts');
    const { runDashboard } = await (loading ?? import('../src/dashboard/index.tsx'));
    await runDashboard({ store: createStore(state), source, env: process.env, cwd: process.cwd() });
  }

  private refuseWithoutTerminal(): void {
    const other = '`stockroom dashboard --once` prints one frame, `stockroom webhooks deliveries tail --json` follows deliveries';
    if (this.wantsJson) throw usage('the dashboard is a screen, not data', other);
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      throw new Failure('no_terminal', 'the dashboard needs a terminal', { exit: EXIT.usage, hint: other });
    }
  }

  private async local(target: Target, tenantOption: string | undefined): Promise<{ about: About; source: Source }> {
    const { localAbout, localSource } = await import('../src/dashboard/source-local.ts');
    const { value: dataDir } = target.dataDir;
    const tenant = tenantOption ?? target.tenant?.value;
    const places = {
      daemon: () => expectDaemon(readDaemon(dataDir), dataDir),
      admin: (daemon: Parameters<typeof adminTransport>[0]) =>
        createClient({ transport: adminTransport(daemon, dataDir), retry: this.retryPolicy() }),
      api: () => (target.key === undefined ? null : this.connect()),
      tenant,
      gatherMs: process.env['INK_SCREEN_READER'] === 'true' ? GATHER_SPOKEN_MS : GATHER_MS,
    };
    const productionKey = LIVE_KEY.exec(target.key?.value ?? '')?.[0] ?? null;
    const about: About = { ...(await localAbout(places)), local: true, productionKey, pace: null };
    return { about, source: localSource(places) };
  }

  private async remote(target: Target): Promise<{ about: About; source: Source }> {
    const { remoteAbout, remoteSource } = await import('../src/dashboard/source-remote.ts');
    const api = await this.connect();
    const about: About = {
      ...(await remoteAbout(api)),
      url: target.url.value,
      local: false,
      version: null,
      faults: null,
      pace: null,
      clockAheadMs: 0,
    };
    return { about, source: remoteSource(api) };
  }
}

import { Flags } from '@oclif/core';
import { DaemonCommand, daemonView } from '../../src/cli/base-commands/daemon-command.ts';
import { STOPPING } from '../../src/cli/views/daemon-messages.ts';
import { formatDataDirFlag } from '../../src/cli/errors/hints.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import type { DaemonStatus } from '../../src/contract/daemon-state.ts';
import { type LostDaemon, stopLostDaemons } from '../../src/daemon/control/lost-daemons.ts';
import { getDaemonStatus, listDaemonStatuses } from '../../src/daemon/control/status.ts';
import { stopDaemon } from '../../src/daemon/control/stop.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';

const TIMEOUT_S = 30;

export default class DaemonStop extends DaemonCommand {
  static override summary = 'Stop the daemon';
  static override hiddenAliases = ['stop'];
  static override description =
    'Waits for requests in progress and until the process has ended; succeeds if the daemon is not running. No acknowledged write is lost, even with --force.';
  static override flags = {
    timeout: integerFlag({
      min: 1,
      default: TIMEOUT_S,
      helpValue: 'SECONDS',
      description: 'Maximum time to wait for the daemon to stop, after its --drain-seconds.',
    }),
    force: Flags.boolean({ description: 'Kill the daemon if it does not stop in time.' }),
    all: Flags.boolean({ description: 'Stop the daemons of all data directories.', exclusive: ['data-dir'] }),
  };
  static override examples = ['<%= config.bin %> daemon stop', '<%= config.bin %> daemon stop --all --timeout 5 --force'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonStop);
    const options = { timeoutMs: flags.timeout * 1000, force: flags.force };
    if (!flags.all) {
      const lost = await withElapsedTime(stopLostDaemons(process.env, this.dataDir, options), STOPPING, flags.timeout);
      const was = await withElapsedTime(stopDaemon(this.dataDir, options), STOPPING, flags.timeout);
      this.reportLost(lost);
      if (was || lost.length === 0)
        this.printNote(was ? `Stopped the daemon of ${this.dataDir}` : `No daemon was running for ${this.dataDir}`);
      if (!was && lost.length === 0) await this.noteOtherDaemons();
      return this.printUnlessTable(await getDaemonStatus(this.dataDir));
    }
    const lost = await withElapsedTime(stopLostDaemons(process.env, undefined, options), STOPPING, flags.timeout);
    const running = (await listDaemonStatuses(process.env)).filter(({ status }) => status !== 'stopped');
    await withElapsedTime(Promise.all(running.map(({ dataDir }) => stopDaemon(dataDir, options))), STOPPING, flags.timeout);
    this.reportLost(lost);
    if (running.length > 0 || lost.length === 0)
      this.printNote(running.length === 0 ? 'No daemon was running' : `Stopped ${running.map(({ dataDir }) => dataDir).join(', ')}`);
    const stopped = await Promise.all(running.map(({ dataDir }) => getDaemonStatus(dataDir)));
    if (this.format !== 'table') await this.printList({ data: stopped }, daemonView);
  }

  /** In case another one was meant, such as an ephemeral daemon. */
  private async noteOtherDaemons(): Promise<void> {
    // Only additional information: ignore an unreadable registry.
    const running = (await listDaemonStatuses(process.env).catch(() => [])).filter(({ status }) => status === 'running');
    for (const { url, dataDir } of running)
      this.printNote(`Running on ${url ?? ''}: stop it with \`stockroom daemon stop${formatDataDirFlag(dataDir)}\``);
  }

  private reportLost(daemons: readonly LostDaemon[]): void {
    if (daemons.length > 0) process.exitCode = EXIT.unexpected;
    for (const { pid, reason } of daemons)
      this.printNote(`Stopped the daemon with pid ${String(pid)}, which had lost its data directory: ${reason}`);
  }

  private async printUnlessTable(status: DaemonStatus): Promise<void> {
    if (this.format !== 'table') await this.printStatus(status);
  }
}

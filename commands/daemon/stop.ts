import { Flags } from '@oclif/core';
import { DaemonCommand, daemonView } from '../../src/cli/daemon-command.ts';
import { STOPPING } from '../../src/cli/daemon-words.ts';
import { tellWhile } from '../../src/cli/waiting.ts';
import type { DaemonStatus } from '../../src/contract/places.ts';
import { daemonStatus, daemonStatuses, stopDaemon } from '../../src/daemon/control.ts';

const TIMEOUT_S = 30;

export default class DaemonStop extends DaemonCommand {
  static override summary = 'Stop the service of a data directory';
  static override description = `Requests under way are answered first. Returns when the process, its port and its lock are gone; the data stays.
A service that does not run is a success too. --force kills one that does not stop in time; that loses nothing that was acknowledged.`;
  static override flags = {
    timeout: Flags.integer({ min: 1, default: TIMEOUT_S, helpValue: 'SECONDS', description: 'How long to wait for it.' }),
    force: Flags.boolean({ description: 'Kill it when it has not stopped by then.' }),
    all: Flags.boolean({ description: 'Stop the services of all data directories.', exclusive: ['data-dir'] }),
  };
  static override examples = ['<%= config.bin %> daemon stop', '<%= config.bin %> daemon stop --all --timeout 5 --force'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonStop);
    const options = { timeoutMs: flags.timeout * 1000, force: flags.force };
    if (!flags.all) {
      const was = await tellWhile(stopDaemon(this.dataDir, options), STOPPING, flags.timeout);
      this.note(was ? `stopped the daemon of ${this.dataDir}` : `no daemon was running for ${this.dataDir}`);
      return this.tell(await daemonStatus(this.dataDir));
    }
    const running = (await daemonStatuses(process.env)).filter(({ status }) => status !== 'stopped');
    await tellWhile(Promise.all(running.map(({ dataDir }) => stopDaemon(dataDir, options))), STOPPING, flags.timeout);
    this.note(running.length === 0 ? 'no daemon was running' : `stopped ${running.map(({ dataDir }) => dataDir).join(', ')}`);
    const stopped = await Promise.all(running.map(({ dataDir }) => daemonStatus(dataDir)));
    if (this.format !== 'table') await this.printList({ data: stopped }, daemonView);
  }

  private async tell(status: DaemonStatus): Promise<void> {
    if (this.format !== 'table') await this.printStatus(status);
  }
}

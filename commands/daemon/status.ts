import { type Client, createClient } from '../../src/client/client.ts';
import { builtInTransport } from '../../src/client/transport.ts';
import { DaemonCommand } from '../../src/cli/daemon-command.ts';
import { type Insight, statusLines } from '../../src/cli/daemon-screen.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { tellWhile } from '../../src/cli/waiting.ts';
import { showClock } from '../../src/contract/admin/clock.ts';
import { getStatus } from '../../src/contract/admin/daemon.ts';
import { type Fault, listFaults } from '../../src/contract/admin/faults.ts';
import { listTiers } from '../../src/contract/admin/tiers.ts';
import type { DaemonState } from '../../src/contract/places.ts';
import { daemonStatus, daemonStatuses, versionSkew } from '../../src/daemon/control.ts';
import { readState } from '../../src/daemon/place.ts';

export default class DaemonStatusCommand extends DaemonCommand {
  static override summary = 'Show whether the service runs, and what it holds';
  static override description = `Exit code 0 when it runs, 7 when it is stopped or does not answer; the status is printed either way.
On a terminal also what it holds, its rate tiers and its clock.`;
  static override examples = ['<%= config.bin %> daemon status', '<%= config.bin %> daemon status --json'];

  async run(): Promise<void> {
    await this.parse(DaemonStatusCommand);
    const status = await tellWhile(daemonStatus(this.dataDir), 'waiting for the answer');
    if (status.status !== 'running') process.exitCode = EXIT.unreachable;
    const skew = status.version === null ? undefined : versionSkew({ version: status.version });
    if (skew !== undefined) this.note(this.naming(this.dataDir, skew));
    const state = status.status === 'running' ? readState(this.dataDir) : undefined;
    if (state && this.format === 'table') {
      await this.out.write(`${statusLines(state, await insightOf(state), this.paintFor(process.stdout), this.screen).join('\n')}\n`);
      return;
    }
    await this.printStatus(status, state ? await faultsOf(state) : []);
    if (status.status === 'stopped') await this.tellOthers();
  }

  /** Whoever asks for the wrong data directory is told where the running ones are. */
  private async tellOthers(): Promise<void> {
    // The list may be unreadable, and this is only about others.
    const known = await daemonStatuses(process.env).catch(() => []);
    const running = known.filter((other) => other.status === 'running');
    if (running.length > 0) this.note(`running for other data directories: ${running.map(({ dataDir }) => dataDir).join(', ')}`);
  }
}

const clientOf = ({ adminSocket }: DaemonState): Client =>
  createClient({ transport: builtInTransport({ socketPath: adminSocket }), retry: { maxWaitMs: 0, wait: () => Promise.resolve() } });

async function faultsOf(state: DaemonState): Promise<readonly Fault[]> {
  const found = await clientOf(state)
    .call(listFaults, {})
    .catch(() => undefined);
  return found?.body.data ?? [];
}

/** Undefined when the admin socket does not answer, as in the last moments of a daemon. */
async function insightOf(state: DaemonState): Promise<Insight | undefined> {
  const client = clientOf(state);
  try {
    const [{ body: about }, { body: clock }, { body: tiers }] = await Promise.all([
      client.perform(getStatus),
      client.perform(showClock),
      client.perform(listTiers),
    ]);
    return { ...about.data, clock: clock.data, tiers: tiers.data };
  } catch {
    return undefined;
  }
}

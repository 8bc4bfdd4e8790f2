import { defineCommand } from '../../src/cli/command/define-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import { type DaemonContext, type StatusDetails, daemonAccess } from '../../src/cli/session/daemon-session.ts';
import { withProgramName } from '../../src/cli/program-name.ts';
import { type DaemonDetails, formatStatus, formatStopped } from '../../src/cli/views/daemon-status.ts';
import { type Client, type Reply, createClient } from '../../src/client/client.ts';
import { createHttpTransport } from '../../src/client/transport/transport.ts';
import { showClock } from '../../src/contract/admin/clock.ts';
import { getStatus, listMembers } from '../../src/contract/admin/daemon.ts';
import { listFaults } from '../../src/contract/admin/faults.ts';
import { listTiers } from '../../src/contract/admin/tiers.ts';
import type { DaemonHealth, DaemonState } from '../../src/platform/daemon-state.ts';
import { describeLostDaemon, findLostDaemons } from '../../src/daemon/control/lost-daemons.ts';
import { describeVersionSkew, getDaemonStatus, listDaemonStatuses } from '../../src/daemon/control/status.ts';
import { readStateFile } from '../../src/daemon/data-directory/state-file.ts';

export default defineCommand({
  access: daemonAccess,
  summary: 'Show the status of the daemon',
  hiddenAliases: ['status'],
  description:
    'Exits with 0 if the daemon serves requests, also if only reads, with 7 if it is stopped, does not respond or serves none. `ready` and `reason` are what GET /readyz answers.',
  examples: ['daemon status', 'daemon status --json'],
  async run(context) {
    const { output, session } = context;
    const status = await withElapsedTime(getDaemonStatus(session.dataDir), 'Waiting for the response');
    if (!servesRequests(status)) process.exitCode = EXIT.unreachable;
    const skew = status.version === null ? undefined : describeVersionSkew({ version: status.version });
    if (skew !== undefined) output.printNote(session.addDataDirFlag(skew));
    for (const lost of await findLostDaemons(process.env, session.dataDir))
      if (lost.instanceId !== status.instanceId || output.format !== 'table') output.printNote(describeLostDaemon(lost));
    const state = status.status === 'running' ? readStateFile(session.dataDir) : undefined;
    if (state && output.format === 'table') {
      const lines = formatStatus(
        { ...state, ready: status.ready, reason: status.reason },
        await fetchDetails(state),
        output.getPaint(process.stdout),
        output.terminalWidth,
      );
      await output.write(`${lines.join('\n')}\n`);
      return;
    }
    if (!state && output.isPlainTable) {
      const lines = formatStopped(status, output.getPaint(process.stdout), output.terminalWidth);
      await output.write(`${lines.map((line) => withProgramName(session.addDataDirFlag(line))).join('\n')}\n`);
    } else await session.printStatus(status, state ? await fetchJsonDetails(state) : {});
    if (status.status === 'stopped') {
      session.noteProfileDirectory();
      await noteOtherDaemons(context);
    }
  },
});

/** A daemon that is not ready for another reason, such as a full disk, answers reads, and no restart would help. */
const servesRequests = ({ status, reason }: DaemonHealth): boolean =>
  status === 'running' && reason !== 'store unavailable' && reason !== 'starting';

/** Notes running daemons of other data directories, in case the wrong one was given. */
async function noteOtherDaemons({ output }: DaemonContext): Promise<void> {
  // Only additional information: ignore an unreadable registry.
  const known = await listDaemonStatuses(process.env).catch(() => []);
  const running = known.filter((other) => other.status === 'running');
  if (running.length > 0) output.printNote(`Running for other data directories: ${running.map(({ dataDir }) => dataDir).join(', ')}`);
}

const createAdminClient = ({ adminSocket }: DaemonState): Client =>
  createClient({ transport: createHttpTransport({ socketPath: adminSocket }) });

async function fetchJsonDetails(state: DaemonState): Promise<StatusDetails> {
  const client = createAdminClient(state);
  const [daemons = [], faults = []] = await Promise.all([
    ignoreErrors(client.call(listMembers, {})),
    ignoreErrors(client.call(listFaults, {})),
  ]);
  // Only a database loses commits. Not asked for otherwise: the status also counts rows, and health checks call this command.
  const about = daemons.length === 0 ? undefined : await ignoreErrors(client.call(getStatus, {}));
  return { daemons, faults, lostCommits: about?.lostCommits ?? [] };
}

const ignoreErrors = <T>(reply: Promise<Reply<{ readonly data: T }>>): Promise<T | undefined> =>
  reply.then(
    ({ body }) => body.data,
    () => undefined,
  );

/** Undefined if the admin socket does not respond, for example while the daemon is stopping. */
async function fetchDetails(state: DaemonState): Promise<DaemonDetails | undefined> {
  const client = createAdminClient(state);
  try {
    const [{ body: about }, { body: members }, { body: clock }, { body: tiers }] = await Promise.all([
      client.perform(getStatus),
      client.perform(listMembers),
      client.perform(showClock),
      client.perform(listTiers),
    ]);
    return { ...about.data, daemons: members.data, clock: clock.data, tiers: tiers.data };
  } catch {
    return undefined;
  }
}

import { defineCommand } from '../../src/cli/command/define-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { formatDataDirFlag } from '../../src/cli/errors/hints.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import { daemonAccess, type DaemonContext, daemonHealthView, stopFlags } from '../../src/cli/session/daemon-session.ts';
import { STOPPING } from '../../src/cli/views/daemon-messages.ts';
import { type LostDaemon, stopLostDaemons } from '../../src/daemon/control/lost-daemons.ts';
import { getDaemonStatus, listDaemonStatuses } from '../../src/daemon/control/status.ts';
import { stopDaemon } from '../../src/daemon/control/stop.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  access: daemonAccess,
  summary: 'Stop the daemon',
  hiddenAliases: ['stop'],
  description:
    'Waits for requests in progress and until the process has ended; succeeds if the daemon is not running. No acknowledged write is lost, even with --force.',
  flags: {
    ...stopFlags,
    all: Flags.boolean({ description: 'Stop the daemons of all data directories.', exclusive: ['data-dir'] }),
  },
  examples: ['daemon stop', 'daemon stop --all --timeout 5 --force'],
  async run(context) {
    const { flags, output, session } = context;
    const options = { timeoutMs: flags.timeout * 1000, force: flags.force };
    if (!flags.all) {
      const lost = await withElapsedTime(stopLostDaemons(process.env, session.dataDir, options), STOPPING, flags.timeout);
      const was = await withElapsedTime(stopDaemon(session.dataDir, options), STOPPING, flags.timeout);
      reportLost(context, lost);
      if (was || lost.length === 0)
        output.printNote(was ? `Stopped the daemon of ${session.dataDir}` : `No daemon was running for ${session.dataDir}`);
      if (!was && lost.length === 0) await noteOtherDaemons(context);
      if (output.format !== 'table') await session.printStatus(await getDaemonStatus(session.dataDir));
      return;
    }
    const lost = await withElapsedTime(stopLostDaemons(process.env, undefined, options), STOPPING, flags.timeout);
    const running = (await listDaemonStatuses(process.env)).filter(({ status }) => status !== 'stopped');
    await withElapsedTime(Promise.all(running.map(({ dataDir }) => stopDaemon(dataDir, options))), STOPPING, flags.timeout);
    reportLost(context, lost);
    if (running.length > 0 || lost.length === 0)
      output.printNote(running.length === 0 ? 'No daemon was running' : `Stopped ${running.map(({ dataDir }) => dataDir).join(', ')}`);
    const stopped = await Promise.all(running.map(({ dataDir }) => getDaemonStatus(dataDir)));
    if (output.format !== 'table') await output.printList({ data: stopped }, daemonHealthView);
  },
});

/** In case another one was meant, such as an ephemeral daemon. */
async function noteOtherDaemons({ output }: DaemonContext): Promise<void> {
  // Only additional information: ignore an unreadable registry.
  const running = (await listDaemonStatuses(process.env).catch(() => [])).filter(({ status }) => status === 'running');
  for (const { url, dataDir } of running)
    output.printNote(`Running on ${url ?? ''}: stop it with \`stockroom daemon stop${formatDataDirFlag(dataDir)}\``);
}

function reportLost({ output }: DaemonContext, daemons: readonly LostDaemon[]): void {
  if (daemons.length > 0) process.exitCode = EXIT.unexpected;
  for (const { pid, reason } of daemons)
    output.printNote(`Stopped the daemon with pid ${String(pid)}, which had lost its data directory: ${reason}`);
}

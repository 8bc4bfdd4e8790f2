import { defineCommand } from '../../src/cli/command/define-command.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import { daemonAccess, daemonHealthView } from '../../src/cli/session/daemon-session.ts';
import { listDaemonStatuses } from '../../src/daemon/control/status.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  access: daemonAccess,
  summary: 'List running daemons of all data directories',
  flags: { all: Flags.boolean({ description: 'Include stopped daemons.' }) },
  examples: ['daemon list', 'daemon list --all --json'],
  async run({ flags, output }) {
    const found = await withElapsedTime(listDaemonStatuses(process.env), 'Waiting for the response');
    const shown = flags.all ? found : found.filter(({ status }) => status !== 'stopped');
    await output.printList(
      { data: shown },
      { ...daemonHealthView, columns: ['status', 'ready', 'reason', 'url', 'pid', 'dataDir', 'version'] },
    );
    if (shown.length === 0 && process.stdout.isTTY) output.printNote('No daemon is running');
  },
});

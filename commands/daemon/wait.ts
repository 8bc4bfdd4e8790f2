import { defineCommand } from '../../src/cli/command/define-command.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import { daemonAccess } from '../../src/cli/session/daemon-session.ts';
import { waitForDaemon } from '../../src/daemon/control/status.ts';

const TIMEOUT_S = 30;

export default defineCommand({
  access: daemonAccess,
  summary: 'Wait until the daemon is ready',
  description: 'Exits with 9 if the daemon is not ready in time.',
  flags: {
    timeout: integerFlag({ min: 0, default: TIMEOUT_S, helpValue: 'SECONDS', description: 'Maximum time to wait.' }),
  },
  examples: ['daemon wait', 'daemon wait --timeout 5 && npm test'],
  async run({ flags, session }) {
    await session.printStatus(
      await withElapsedTime(waitForDaemon(session.dataDir, flags.timeout * 1000), 'Waiting for the daemon', flags.timeout),
    );
  },
});

import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { showClock } from '../../src/contract/admin/clock.ts';

export default operationCommand(showClock, {
  examples: ['clock show', 'clock show --json'],
});

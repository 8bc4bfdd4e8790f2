import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { resetClock } from '../../src/contract/admin/clock.ts';

export default operationCommand(resetClock, {
  examples: ['clock reset', 'clock reset --json'],
});

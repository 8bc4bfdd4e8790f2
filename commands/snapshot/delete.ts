import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteSnapshot } from '../../src/contract/admin/snapshots.ts';

export default operationCommand(deleteSnapshot, {
  examples: ['snapshot delete before-migration', 'snapshot delete base --yes'],
});

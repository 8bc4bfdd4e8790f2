import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listSnapshots } from '../../src/contract/admin/snapshots.ts';

export default operationCommand(listSnapshots, {
  columns: ['name', 'savedAt', 'bytes', 'rows', 'tenants', 'version', 'problem'],
  hiddenIfEmpty: ['problem'],
  examples: ['snapshot list', 'snapshot list --json'],
});

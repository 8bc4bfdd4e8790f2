import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { SNAPSHOT_COLUMNS } from '../../src/cli/views/snapshots.ts';
import { listSnapshots } from '../../src/contract/admin/snapshots.ts';

export default operationCommand(listSnapshots, {
  columns: SNAPSHOT_COLUMNS,
  hiddenIfEmpty: ['problem'],
  examples: ['snapshot list', 'snapshot list --json'],
});

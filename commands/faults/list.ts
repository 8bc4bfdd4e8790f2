import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/views/faults.ts';
import { listFaults } from '../../src/contract/admin/faults.ts';

export default operationCommand(listFaults, {
  columns: FAULT_COLUMNS,
  ...FAULT_LIST,
  examples: ['faults list', 'faults list --json'],
});

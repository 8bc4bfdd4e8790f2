import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listTiers } from '../../src/contract/admin/tiers.ts';

export default operationCommand(listTiers, {
  columns: ['name', 'requestsPerMinute'],
  examples: ['tiers list', 'tiers list --json'],
});

import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listApps } from '../../src/contract/admin/apps.ts';
import { APP_COLUMNS } from '../../src/cli/settings/app-commands.ts';

export default operationCommand(listApps, {
  columns: APP_COLUMNS,
  neverTruncated: ['clientId'],
  examples: ['apps list', 'apps list --status pending --columns name,clientId'],
});

import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(deleteApp, {
  noun: 'application',
  examples: ['apps delete app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps delete app_4fJ2kQ9xZr7LmN3pT8vWcY --yes'],
});

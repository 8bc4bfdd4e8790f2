import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteWebhook } from '../../src/contract/resources/webhooks.ts';

export default operationCommand(deleteWebhook, {
  examples: ['webhooks delete shop-sync', 'webhooks delete shop-sync --yes'],
});

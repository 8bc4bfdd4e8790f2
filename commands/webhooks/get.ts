import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getWebhook } from '../../src/contract/resources/webhooks.ts';

export default operationCommand(getWebhook, {
  examples: ['webhooks get shop-sync', 'webhooks get shop-sync -o yaml'],
});

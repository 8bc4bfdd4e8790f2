import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listWebhooks } from '../../src/contract/resources/webhooks.ts';

export default operationCommand(listWebhooks, {
  columns: ['id', 'name', 'status', 'targetUrl', 'subscribedEvents', 'environment', 'updatedAt'],
  examples: ['webhooks list', 'webhooks list --status disabled'],
});

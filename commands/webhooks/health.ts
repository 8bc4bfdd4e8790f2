import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listHealth } from '../../src/contract/admin/webhooks.ts';

export default operationCommand(listHealth, {
  columns: [
    'name',
    'status',
    'lastError',
    'failingSince',
    'delivered',
    'failed',
    'queued',
    'oldestQueuedAt',
    'previousSecretUntil',
    'targetUrl',
    'id',
  ],
  hiddenIfEmpty: ['failingSince', 'lastError', 'previousSecretUntil'],
  examples: ['webhooks health', 'webhooks health --tenant kestrel-coffee --json'],
});

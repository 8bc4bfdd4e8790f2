import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getWebhook, updateWebhook } from '../../src/contract/resources/webhooks.ts';

export default editCommand(getWebhook, updateWebhook, ['webhooks edit shop-sync', 'webhooks edit shop-sync --dry-run']);

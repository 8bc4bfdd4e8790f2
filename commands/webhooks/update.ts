import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { WebhookCommand, eventFlag, eventsOf } from '../../src/cli/webhook-command.ts';
import { updateWebhook } from '../../src/contract/webhooks.ts';

export default class WebhooksUpdate extends WebhookCommand {
  static override summary = 'Change a webhook endpoint; what is not named stays as it is';
  static override args = paramArgs(updateWebhook);
  static override flags = { ...bodyFlags(updateWebhook, { status: 'Whether it sends.' }), ...eventFlag, ...writeFlags };
  static override examples = [
    '<%= config.bin %> webhooks update 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --status paused',
    '<%= config.bin %> webhooks update 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --event order.created --event order.updated',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksUpdate);
    await this.writeWithSecret(updateWebhook, { args, flags }, eventsOf(flags));
  }
}

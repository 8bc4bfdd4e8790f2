import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { WebhookCommand, eventFlag, eventsOf } from '../../src/cli/webhook-command.ts';
import { createWebhook } from '../../src/contract/webhooks.ts';

export default class WebhooksCreate extends WebhookCommand {
  static override summary = 'Create a webhook endpoint; its signing secret is shown this once';
  static override flags = { ...bodyFlags(createWebhook, { status: 'Whether it sends.' }), ...eventFlag, ...writeFlags };
  static override examples = [
    '<%= config.bin %> webhooks create --name Shop --target-url https://shop.example/hooks --event order.created --event order.updated',
    '<%= config.bin %> webhooks create --name Local --target-url http://127.0.0.1:3000/hooks --event inventory.item.created --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksCreate);
    await this.writeWithSecret(createWebhook, { args, flags }, eventsOf(flags));
  }
}

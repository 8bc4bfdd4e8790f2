import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { WebhookCommand, eventFlag, toSubscribedEvents } from '../../src/cli/base-commands/webhook-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { quoteForShell } from '../../src/cli/errors/hints.ts';
import { createWebhook } from '../../src/contract/resources/webhooks.ts';

export default class WebhooksCreate extends WebhookCommand {
  static override summary = 'Create a webhook endpoint';
  static override description = 'The signing secret is shown only once.';
  static override flags = {
    ...bodyFlags(createWebhook, { status: 'active: sends; paused: holds deliveries; disabled: records nothing.' }),
    ...eventFlag,
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> webhooks create --name Shop --target-url https://shop.example/hooks --event order.created --event order.updated',
    '<%= config.bin %> webhooks create --name Local --target-url http://127.0.0.1:3000/hooks --event inventory.item.created --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksCreate);
    const { url } = this.globals as { url?: string };
    if (url !== undefined && [flags['target-url'], flags.data, flags.set].every((given) => given === undefined))
      throw usageError(
        'Missing --target-url: --url is the URL of the service',
        `Pass the URL that receives the events: --target-url ${quoteForShell(url)}`,
      );
    await this.writeWithSecret(createWebhook, { args, flags }, toSubscribedEvents(flags));
  }
}

import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { WebhookCommand, eventFlag, toSubscribedEvents } from '../../src/cli/base-commands/webhook-command.ts';
import { updateWebhook } from '../../src/contract/resources/webhooks.ts';

export default class WebhooksUpdate extends WebhookCommand {
  static override summary = 'Update a webhook endpoint';
  static override description = 'Omitted fields are unchanged. Disabling an endpoint discards the deliveries that wait to be sent.';
  static override args = paramArgs(updateWebhook);
  static override flags = {
    ...bodyFlags(updateWebhook, {
      status: 'active: sends; paused: holds deliveries; disabled: records nothing, and discards those that wait.',
      rotateSecret: 'Rotate the signing secret; same as `webhooks rotate-secret`.',
    }),
    ...eventFlag,
    ...yesFlag,
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> webhooks update shop-sync --status paused',
    '<%= config.bin %> webhooks update shop-sync --event order.created --event order.updated',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksUpdate);
    await this.writeWithSecret(updateWebhook, { args, flags }, async ({ status }) => {
      if (status === 'disabled') await this.confirmDisabling({ args, flags });
      return toSubscribedEvents(flags);
    });
  }
}

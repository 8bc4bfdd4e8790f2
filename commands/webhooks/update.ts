import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { confirmDisabling, eventFlag, toSubscribedEvents, writeWebhook } from '../../src/cli/webhooks/webhook-commands.ts';
import { updateWebhook } from '../../src/contract/resources/webhooks.ts';

export default operationCommand(updateWebhook, {
  summary: 'Update a webhook endpoint',
  description: 'Omitted fields are unchanged. Disabling an endpoint discards the deliveries that wait to be sent.',
  flags: { ...eventFlag, ...yesFlag },
  examples: ['webhooks update shop-sync --status paused', 'webhooks update shop-sync --event order.created --event order.updated'],
  async run(context) {
    const { flags } = context;
    await writeWebhook(context, updateWebhook, async ({ status }) => {
      if (status === 'disabled') await confirmDisabling(context);
      return toSubscribedEvents(flags);
    });
  },
});

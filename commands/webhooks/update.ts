import { defineCommand } from '../../src/cli/command/define-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { apiAccess } from '../../src/cli/session/api-session.ts';
import { confirmDisabling, eventFlag, toSubscribedEvents, writeWebhook } from '../../src/cli/webhooks/webhook-commands.ts';
import { updateWebhook } from '../../src/contract/resources/webhooks.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Update a webhook endpoint',
  description: 'Omitted fields are unchanged. Disabling an endpoint discards the deliveries that wait to be sent.',
  args: paramArgs(updateWebhook),
  flags: {
    ...bodyFlags(updateWebhook),
    ...eventFlag,
    ...yesFlag,
    ...writeFlags,
  },
  examples: ['webhooks update shop-sync --status paused', 'webhooks update shop-sync --event order.created --event order.updated'],
  async run(context) {
    const { flags } = context;
    await writeWebhook(context, updateWebhook, async ({ status }) => {
      if (status === 'disabled') await confirmDisabling(context);
      return toSubscribedEvents(flags);
    });
  },
});

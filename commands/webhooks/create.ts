import { defineCommand } from '../../src/cli/command/define-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { quoteForShell } from '../../src/cli/errors/hints.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { apiAccess } from '../../src/cli/session/api-session.ts';
import type { Parsed } from '../../src/cli/session/session.ts';
import { eventFlag, toSubscribedEvents, writeWebhook } from '../../src/cli/webhooks/webhook-commands.ts';
import { createWebhook } from '../../src/contract/resources/webhooks.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Create a webhook endpoint',
  description: 'The signing secret is shown only once.',
  flags: {
    ...bodyFlags(createWebhook),
    ...eventFlag,
    ...writeFlags,
  },
  examples: [
    'webhooks create --name Shop --target-url https://shop.example/hooks --event order.created --event order.updated',
    'webhooks create --name Local --target-url http://127.0.0.1:3000/hooks --event inventory.item.created --json',
  ],
  async run(context) {
    const { flags } = context;
    const { url } = flags;
    if (url !== undefined && ['target-url', 'data', 'set'].every((name) => (flags as Parsed['flags'])[name] === undefined))
      throw usageError(
        'Missing --target-url: --url is the URL of the service',
        `Pass the URL that receives the events: --target-url ${quoteForShell(url)}`,
      );
    await writeWebhook(context, createWebhook, toSubscribedEvents(flags));
  },
});

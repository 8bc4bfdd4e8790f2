import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { quoteForShell } from '../../src/cli/errors/hints.ts';
import { eventFlag, toSubscribedEvents, writeWebhook } from '../../src/cli/webhooks/webhook-commands.ts';
import { createWebhook } from '../../src/contract/resources/webhooks.ts';

export default operationCommand(createWebhook, {
  description: 'The signing secret is shown only once, as .signingSecret of the JSON.',
  flags: eventFlag,
  examples: [
    'webhooks create --name Shop --target-url https://shop.example/hooks --event order.created --event order.updated',
    'webhooks create --name Local --target-url http://127.0.0.1:3000/hooks --event inventory.item.created --json',
  ],
  async run(context) {
    const { flags } = context;
    const { url } = flags;
    if (typeof url === 'string' && ['target-url', 'data', 'set'].every((name) => flags[name] === undefined))
      throw usageError(
        'Missing --target-url: --url is the URL of the service',
        `Pass the URL that receives the events: --target-url ${quoteForShell(url)}`,
      );
    await writeWebhook(context, createWebhook, toSubscribedEvents(flags));
  },
});

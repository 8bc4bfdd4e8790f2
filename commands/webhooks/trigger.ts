import { Args } from '@oclif/core';
import { readRequestBody, writeFlags } from '../../src/cli/input/request-body.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { triggerEvent } from '../../src/contract/admin/webhooks.ts';
import { EMITTED_EVENTS, RESERVED_EVENTS, TEST_EVENT } from '../../src/contract/events.ts';

export default class WebhooksTrigger extends AdminCommand {
  static override summary = 'Trigger an event with sample data';
  static override hiddenAliases = ['trigger'];
  static override description = `Deliveries are signed and recorded like those of real events; --set changes or adds fields of the sample data. Reserved events (${RESERVED_EVENTS.join(', ')}) are not sent; ${TEST_EVENT} is sent by \`webhooks test\`.`;
  static override args = {
    event: Args.string({ required: true, ignoreStdin: true, options: [...EMITTED_EVENTS], description: 'Name of the event.' }),
  };
  static override flags = { set: writeFlags.set, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> webhooks trigger order.created --set status=completed --set total=99.5',
    '<%= config.bin %> webhooks trigger inventory.item.updated --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksTrigger);
    const data = await readRequestBody({}, flags);
    await this.write(triggerEvent, { args, flags: { tenant: flags.tenant } }, { event: args.event, data });
  }
}

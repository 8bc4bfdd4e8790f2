import { Args } from '@oclif/core';
import { bodyOf, writeFlags } from '../../src/cli/body.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { triggerEvent } from '../../src/contract/admin/webhooks.ts';
import { EMITTED_EVENTS } from '../../src/contract/events.ts';

export default class WebhooksTrigger extends SettingsCommand {
  static override summary = 'Send an event as if it had happened, signed and recorded like a real one';
  static override description = 'The data is that of an example; --set changes or adds fields of it.';
  static override args = {
    event: Args.string({ required: true, ignoreStdin: true, options: [...EMITTED_EVENTS], description: 'Which event.' }),
  };
  static override flags = { set: writeFlags.set, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> webhooks trigger order.created --set status=completed --set total=99.5',
    '<%= config.bin %> webhooks trigger inventory.item.updated --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksTrigger);
    const data = await bodyOf({}, flags);
    await this.write(triggerEvent, { args, flags: { tenant: flags.tenant } }, { event: args.event, data });
  }
}

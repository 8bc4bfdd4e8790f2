import { Args, Flags } from '@oclif/core';
import { usage } from '../../../src/cli/failure.ts';
import { viewOf } from '../../../src/cli/service-command.ts';
import { SettingsCommand, tenantFlag } from '../../../src/cli/settings-command.ts';
import { instantOf } from '../../../src/cli/since.ts';
import { resendDelivery, resendFailed } from '../../../src/contract/admin/webhooks.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';

export default class WebhooksDeliveriesResend extends SettingsCommand {
  static override summary = 'Send a delivery again, or all that failed since some time';
  static override description = 'Under the same event id, once: a resend that fails is not repeated.';
  static override args = { delivery_id: Args.string({ ignoreStdin: true, description: 'Id of the delivery; or use --failed.' }) };
  static override flags = {
    failed: Flags.boolean({ description: 'Every failed delivery since --since.', dependsOn: ['since'] }),
    since: Flags.string({ helpValue: '2h|TIMESTAMP', description: 'How far back.', dependsOn: ['failed'] }),
    webhook: Flags.string({ helpValue: 'ID', description: 'Only of this endpoint.', dependsOn: ['failed'] }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> webhooks deliveries resend 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks deliveries resend --failed --since 24h',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDeliveriesResend);
    const { failed, since, webhook, ...rest } = flags;
    const isNamed = args.delivery_id !== undefined;
    if (failed ? isNamed : !isNamed) throw usage('name a delivery, or use --failed --since');
    if (!failed) {
      await this.write(resendDelivery, { args, flags: rest });
      return;
    }
    const from = await instantOf(since ?? '', () => this.serviceTime(), '--since');
    const body = { since: from, ...(webhook === undefined ? {} : { webhookId: webhook }) };
    const submit = async (more: object) =>
      (await this.submit(resendFailed, { args: {}, flags: rest }, { ...body, ...more }))?.body as ResultOf<typeof resendFailed>;
    // Printed as they come: whoever interrupts it sees how far it got.
    const pages = async function* () {
      for (let answer = await submit({}); ; answer = await submit({ after: answer.next })) {
        if (answer.data.length > 0) yield { rows: answer.data };
        if (answer.next === null) return;
      }
    };
    const view = this.checked(viewOf(resendFailed, ['id', 'eventType', 'status', 'webhookId']));
    if (this.format === 'json') {
      const data: unknown[] = [];
      for await (const { rows } of pages()) data.push(...rows);
      await this.printList({ data }, view);
      return;
    }
    const shown = await this.printPages(pages(), view);
    this.tellHidden(shown);
    if (process.stdout.isTTY) this.note(`${String(shown.count)} ${shown.count === 1 ? 'delivery' : 'deliveries'} sent again`);
  }
}

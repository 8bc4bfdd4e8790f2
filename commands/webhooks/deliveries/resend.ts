import { Args, Flags } from '@oclif/core';
import { formatCount } from '../../../src/cli/output/numbers.ts';
import { usageError } from '../../../src/cli/errors/failure.ts';
import { getView } from '../../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../../src/cli/base-commands/admin-command.ts';
import { parseInstant } from '../../../src/cli/input/timestamp.ts';
import { RESENDABLE_STATUSES, resendDelivery, resendFailed } from '../../../src/contract/admin/webhooks.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';

export default class WebhooksDeliveriesResend extends AdminCommand {
  static override summary = 'Resend a delivery, or all that were not delivered';
  static override description =
    'A finished delivery is sent once, with the same event id, and not retried. A retrying delivery is sent now and keeps its retries.';
  static override args = {
    delivery_id: Args.string({ ignoreStdin: true, description: 'Id of the delivery; omit it with --failed, --discarded or --retrying.' }),
  };
  static override flags = {
    failed: Flags.boolean({ description: 'Resend all failed deliveries recorded since --since.', dependsOn: ['since'] }),
    discarded: Flags.boolean({
      description: 'Resend all discarded deliveries recorded since --since, for example of an endpoint that was disabled.',
      dependsOn: ['since'],
    }),
    retrying: Flags.boolean({ description: 'Resend all retrying deliveries recorded since --since.', dependsOn: ['since'] }),
    since: Flags.string({
      helpValue: '2h|TIME',
      description: 'Start for --failed, --discarded and --retrying. Local time without an offset.',
    }),
    'webhook-id': Flags.string({
      aliases: ['webhook'],
      helpValue: 'ENDPOINT',
      description: 'Only deliveries to the endpoint with this name or id.',
      dependsOn: ['since'],
    }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> webhooks deliveries resend 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks deliveries resend --failed --since 24h',
    '<%= config.bin %> webhooks deliveries resend --failed --retrying --since 1h',
    '<%= config.bin %> webhooks deliveries resend --discarded --since 72h --webhook-id shop-sync',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDeliveriesResend);
    const { failed, discarded, retrying, since, 'webhook-id': webhook, ...rest } = flags;
    const isSelected = { failed, discarded, retrying };
    const statuses = RESENDABLE_STATUSES.filter((status) => isSelected[status]);
    const isBulk = statuses.length > 0;
    const isNamed = args.delivery_id !== undefined;
    if (isBulk === isNamed)
      throw usageError(
        'Pass either DELIVERY_ID, or --failed, --discarded or --retrying with --since',
        'Name an endpoint with --webhook-id; show its deliveries with `stockroom webhooks deliveries list NAME`',
      );
    if (!isBulk && since !== undefined) throw usageError('--since requires --failed, --discarded or --retrying');
    if (!isBulk) {
      await this.write(resendDelivery, { args, flags: rest });
      if (this.format === 'table')
        this.printNote(`Queued to be sent now; show the result with \`stockroom webhooks deliveries show ${String(args.delivery_id)}\``);
      return;
    }
    const from = await parseInstant(since ?? '', () => this.getServiceTime(), '--since');
    const body = { since: from, statuses, ...(webhook === undefined ? {} : { webhookId: webhook }) };
    const submit = async (more: object) =>
      (await this.submit(resendFailed, { args: {}, flags: rest }, { ...body, ...more }))?.body as ResultOf<typeof resendFailed>;
    // Printed page by page, so that the output shows the progress if the command is interrupted.
    const pages = async function* () {
      for (let response = await submit({}); ; response = await submit({ after: response.next })) {
        if (response.data.length > 0) yield { rows: response.data };
        if (response.next === null) return;
      }
    };
    const view = this.validateOutput(getView(resendFailed, ['id', 'eventType', 'status', 'webhookId']));
    if (this.format === 'json') {
      const data: unknown[] = [];
      for await (const { rows } of pages()) data.push(...rows);
      await this.printList({ data }, view);
      return;
    }
    const shown = await this.printPages(pages(), view);
    this.reportHiddenColumns(shown);
    this.printNote(`${formatCount(shown.count)} ${shown.count === 1 ? 'delivery' : 'deliveries'} resent`);
    if (shown.count === 0 && failed && !retrying)
      this.printNote('A delivery with attempts left is not failed but retrying: add --retrying');
  }
}

import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { usageError } from '../../../src/cli/errors/failure.ts';
import { tenantFlag } from '../../../src/cli/input/common-flags.ts';
import { parseInstant } from '../../../src/cli/input/timestamp.ts';
import { formatCountWithNoun } from '../../../src/cli/output/numbers.ts';
import { getView } from '../../../src/cli/records/request.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { submitRecord, writeRecord } from '../../../src/cli/records/write-record.ts';
import { DELIVERY_ID, resolveDeliveryId } from '../../../src/cli/webhooks/delivery-rows.ts';
import { adminAccess } from '../../../src/cli/session/admin-session.ts';
import { RESENDABLE_STATUSES, resendDelivery, resendFailed } from '../../../src/contract/admin/webhooks.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import { Args, Flags } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Resend a delivery, or all that were not delivered',
  description:
    'A finished delivery is sent once, with the same event id, and not retried. A retrying delivery is sent now and keeps its retries and their times.',
  args: {
    delivery_id: Args.string({ description: `${DELIVERY_ID}; omit it with --failed, --discarded or --retrying.` }),
  },
  flags: {
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
    'dry-run': writeFlags['dry-run'],
    tenant: tenantFlag,
  },
  examples: [
    'webhooks deliveries resend 2b3c4d5e',
    'webhooks deliveries resend --failed --since 24h',
    'webhooks deliveries resend --failed --retrying --since 1h',
    'webhooks deliveries resend --discarded --since 72h --webhook-id shop-sync',
  ],
  async run(context) {
    const { args, flags, output, session } = context;
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
      const own = { ...context, args: { delivery_id: await resolveDeliveryId(context, args.delivery_id ?? '') }, flags: rest };
      if ((await writeRecord(own, resendDelivery)) && output.format === 'table')
        output.printNote(`Queued to be sent now; show the result with \`stockroom webhooks deliveries show ${String(args.delivery_id)}\``);
      return;
    }
    const from = await parseInstant(since ?? '', () => session.getServiceTime(), '--since');
    const body = { since: from, statuses, ...(webhook === undefined ? {} : { webhookId: webhook }) };
    const submit = async (more: object) =>
      (await submitRecord({ ...context, args: {}, flags: rest }, resendFailed, { ...body, ...more }))?.body as ResultOf<
        typeof resendFailed
      >;
    if (flags['dry-run']) return void (await submit({}));
    // Printed page by page, so that the output shows the progress if the command is interrupted.
    let resent = 0;
    const pages = async function* () {
      for (let response = await submit({}); ; response = await submit({ after: response.next })) {
        resent += response.data.length;
        if (response.data.length > 0) yield { rows: response.data };
        if (response.next === null) return;
      }
    };
    const view = output.validateView(getView(resendFailed, ['id', 'eventType', 'status', 'webhookId']));
    try {
      if (output.format === 'json') {
        const data: unknown[] = [];
        for await (const { rows } of pages()) data.push(...rows);
        await output.printList({ data }, view, JSON.stringify({ data, resent }));
      } else output.reportHiddenColumns(await output.printPages(pages(), view));
    } finally {
      // Also after an error: what was resent before it stays resent.
      const results = resent === 0 ? '' : '; follow the results with `stockroom webhooks deliveries tail`';
      output.printNote(`${formatCountWithNoun(resent, 'deliveries')} resent${results}`);
    }
    if (resent === 0 && failed && !retrying) output.printNote('A delivery with attempts left is not failed but retrying: add --retrying');
  },
});

import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { EXIT } from '../../../src/cli/errors/exit-codes.ts';
import { quoteForShell } from '../../../src/cli/errors/hints.ts';
import { valueList, yesFlag } from '../../../src/cli/input/common-flags.ts';
import { confirmOrCancel } from '../../../src/cli/input/confirm.ts';
import { integerFlag } from '../../../src/cli/input/integer-flag.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { parseInstant } from '../../../src/cli/input/timestamp.ts';
import { getView, sendRequest, toRequestParts } from '../../../src/cli/records/request.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { describeFailures, describeReplay, followReplay } from '../../../src/cli/webhooks/replay.ts';
import { SUBSCRIBABLE_EVENTS } from '../../../src/contract/events.ts';
import { REPLAY_RATE_DEFAULT, REPLAY_RATE_MAX } from '../../../src/contract/limits.ts';
import { ENDED_STATUSES, createReplay } from '../../../src/contract/resources/webhook-replays.ts';
import { Flags } from '@oclif/core';

export default defineCommand({
  access: apiAccess,
  summary: 'Resend the deliveries of a period, in order',
  description:
    'Sends each delivery that has ended once, oldest first, and those about one record one after the other. The service runs the replay, also after a restart; Ctrl-C ends this command only.',
  args: paramArgs(createReplay),
  flags: {
    since: Flags.string({
      required: true,
      helpValue: '2h|TIME',
      description: 'Deliveries recorded since then. Local time without an offset.',
    }),
    until: Flags.string({ helpValue: '2h|TIME', description: 'Deliveries recorded before then. Default: now.' }),
    event: Flags.option({
      options: SUBSCRIBABLE_EVENTS,
      ...valueList,
      helpValue: 'EVENT,…',
      description: 'Only this event type. Repeatable. Default: all.',
    })(),
    status: Flags.option({
      options: ENDED_STATUSES,
      ...valueList,
      helpValue: 'STATUS,…',
      description: 'Only deliveries with this status. Repeatable. Default: failed and discarded.',
    })(),
    rate: integerFlag({
      helpValue: 'N',
      min: 1,
      max: REPLAY_RATE_MAX,
      description: `Deliveries per second at most. Default: ${String(REPLAY_RATE_DEFAULT)}.`,
    }),
    'dry-run': Flags.boolean({ description: 'Show how many deliveries match, without sending any.' }),
    ...yesFlag,
  },
  examples: [
    'webhooks deliveries replay shop-sync --since 24h',
    'webhooks deliveries replay shop-sync --since 7d --until 6d --status delivered --event order.updated --rate 5 --yes',
  ],
  async run(context) {
    const { args, flags, output, session } = context;
    const name = String(args['webhook_id']);
    const toTime = (text: string, flag: string) => parseInstant(text, () => session.getServiceTime(), flag);
    const since = await toTime(flags.since, '--since');
    const until = flags.until === undefined ? undefined : await toTime(flags.until, '--until');
    const body = { since, until, types: flags.event, statuses: flags.status, rate: flags.rate };
    const view = output.validateView(getView(createReplay));
    const { params } = await toRequestParts({ ...context, flags: {} }, createReplay);
    const preview = await sendRequest(context, createReplay, { params, query: { dry_run: 'true' }, body });
    if (flags['dry-run']) {
      output.printNote(`Would resend ${describeReplay(preview.body.data, name)}`);
      return output.printOne(preview.body, view, preview.text);
    }
    await confirmOrCancel(context, `Resend ${describeReplay(preview.body.data, name)}?`, 'nothing was sent');
    const created = await sendRequest(context, createReplay, { params, body });
    const { data } = created.body;
    if (data.state === 'running')
      output.printNote(`Replaying; cancel with \`stockroom webhooks replays cancel ${quoteForShell(name)} ${data.id}\``);
    const client = await session.connect();
    const ended = await followReplay(client, data);
    await output.printOne({ data: ended }, view, JSON.stringify({ data: ended }));
    const failures = await describeFailures(client, ended, name);
    if (failures === undefined) return;
    process.exitCode = EXIT.partial;
    output.printNote(failures);
  },
});

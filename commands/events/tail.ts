import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { NOT_FILTERS, cursorFlags, getEventView, readLevelNames } from '../../src/cli/events/event-flags.ts';
import { follow, readToEnd } from '../../src/cli/events/read-events.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import { resolveResourceId } from '../../src/cli/records/any-record.ts';
import { resolveInstants, toRequestParts } from '../../src/cli/records/request.ts';
import { createPacedClient } from '../../src/cli/webhooks/poll-deliveries.ts';
import { createLevelNames } from '../../src/client/level-names.ts';
import { listEvents } from '../../src/contract/resources/events.ts';
import { Flags } from '@oclif/core';

export default operationCommand(listEvents, {
  summary: 'Follow changes of all records as they happen',
  description:
    "Prints a line for each change until Ctrl-C, NDJSON in a pipe, and misses none while the service restarts. Uses at most half of the key's rate limit.",
  flags: {
    ...cursorFlags,
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Exit after this many events.' }),
    'no-follow': Flags.boolean({ description: 'Print the recorded events and exit. Default without --since or --cursor: all of them.' }),
  },
  without: NOT_FILTERS,
  examples: [
    'events tail',
    'events tail --since 1h --types order.updated,stock_level.updated',
    'events tail --since 1d --no-follow -o ndjson',
  ],
  async run(context) {
    const { flags, session } = context;
    const { limit = Infinity, 'no-follow': isOnce } = flags;
    const output = context.output.forStream();
    const levels = createLevelNames();
    const view = output.validateView(getEventView(output.format, levels));
    const { limit: _limit, ...filters } = (
      await toRequestParts(await resolveResourceId(await resolveInstants(context, listEvents)), listEvents)
    ).query;
    const start = filters['since'] === undefined && !isOnce ? 'latest' : '';
    const query = { ...filters, cursor: filters['cursor'] ?? start };
    const client = createPacedClient(await session.connect());
    if (!isOnce) watchPipeReader();
    const events = isOnce ? readToEnd(client, query, limit) : follow(client, query, (text) => output.printDimNote(text));
    let count = 0;
    const pages = async function* () {
      for await (const page of events) {
        const rows = page.rows.slice(0, limit - count);
        count += rows.length;
        await readLevelNames(client, output, levels, rows);
        if (rows.length > 0) yield { rows };
        if (count >= limit) return;
      }
    };
    await output.printPages(pages(), view);
  },
});

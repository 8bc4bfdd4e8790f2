import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { limitFlags } from '../../src/cli/input/common-flags.ts';
import { NOT_FILTERS, getEventView, positionFlags, readLevelNames } from '../../src/cli/events/event-flags.ts';
import { type EventPage, readToEnd } from '../../src/cli/events/read-events.ts';
import { resolveResourceId } from '../../src/cli/records/any-record.ts';
import { resolveInstants, toRequestParts } from '../../src/cli/records/request.ts';
import { createLevelNames } from '../../src/client/level-names.ts';
import { EVENTS_LIMIT_DEFAULT } from '../../src/contract/limits.ts';
import { listEvents } from '../../src/contract/resources/events.ts';

export default operationCommand(listEvents, {
  summary: 'List changes of all records, oldest first',
  description:
    'Lists every change, deletions included, from the oldest kept one, a time or a cursor on. The list ends with the cursor to continue from.',
  flags: { ...positionFlags, ...limitFlags(EVENTS_LIMIT_DEFAULT) },
  without: NOT_FILTERS,
  examples: [
    'events list --since 1h',
    'events list --types order.created,order.updated --all -o ndjson',
    'events list --cursor MTI4NC4wZjRh --json',
  ],
  async run(context) {
    const { flags, output, session } = context;
    const { limit, all } = flags;
    const levels = createLevelNames();
    const view = output.validateView(getEventView(output.format, levels));
    const { limit: _limit, ...query } = (
      await toRequestParts(await resolveResourceId(await resolveInstants(context, listEvents)), listEvents)
    ).query;
    const client = await session.connect();
    let last: EventPage | undefined;
    const pages = async function* () {
      for await (const page of readToEnd(client, query, all ? Infinity : (limit ?? EVENTS_LIMIT_DEFAULT))) {
        last = page;
        await readLevelNames(client, output, levels, page.rows);
        yield { rows: page.rows };
      }
    };
    const shown = await output.printPages(pages(), view, () => ({ nextCursor: last?.nextCursor, hasMore: last?.hasMore }));
    if (output.format === 'json') return;
    output.reportHiddenColumns(shown);
    if (shown.count === 0) output.printNoRows();
    if (last) output.printDimNote(`${last.hasMore ? 'More events follow: continue' : 'Continue'} with --cursor ${last.nextCursor}`);
  },
});

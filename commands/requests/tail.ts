import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import type { Page } from '../../src/cli/output/printer.ts';
import { requestOnce } from '../../src/cli/records/request.ts';
import { followRequests } from '../../src/cli/requests/follow-requests.ts';
import { followFeed } from '../../src/cli/session/follow-feed.ts';
import {
  REQUEST_DERIVED,
  REQUEST_FIELDS,
  REQUEST_SAMPLES,
  REQUEST_TABLE_COLUMNS,
  createRequestFilter,
  requestFilterFlags,
} from '../../src/cli/settings/request-log.ts';
import { listRecentRequests } from '../../src/contract/admin/daemon.ts';

export default operationCommand(listRecentRequests, {
  summary: 'Follow requests to the API as they happen',
  description: 'Prints a line for each request until Ctrl-C, and reconnects when the daemon restarts; NDJSON in a pipe.',
  flags: {
    ...requestFilterFlags,
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Exit after this many lines.' }),
  },
  examples: ['requests tail', 'requests tail --status 5xx', 'requests tail --operation orders. --json'],
  async run(context) {
    const { flags } = context;
    const output = context.output.forStream();
    const columns = output.format === 'table' ? REQUEST_TABLE_COLUMNS : REQUEST_FIELDS;
    const view = output.validateView({ fields: REQUEST_FIELDS, columns, derived: REQUEST_DERIVED, samples: REQUEST_SAMPLES });
    watchPipeReader();
    const passes = await createRequestFilter(context);
    const tenant = await context.session.getTenant(listRecentRequests, flags);
    const read = async () => (await requestOnce(context, listRecentRequests)).body.data.requests;
    const seen = await read();
    const pages = async function* (): AsyncGenerator<Page> {
      let count = 0;
      // Only those that were asked for.
      const past = flags.since === undefined ? [] : seen;
      for await (const row of followRequests(followFeed(context, 'request', tenant), { read, seen, past })) {
        if (!passes(row)) continue;
        yield { rows: [row] };
        if ((count += 1) >= (flags.limit ?? Infinity)) return;
      }
    };
    await output.printPages(pages(), view);
  },
});

import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { limitFlags } from '../../src/cli/input/common-flags.ts';
import { requestOnce } from '../../src/cli/records/request.ts';
import {
  REQUEST_DERIVED,
  REQUEST_FIELDS,
  REQUEST_TABLE_COLUMNS,
  createRequestFilter,
  requestFilterFlags,
} from '../../src/cli/settings/request-log.ts';
import { formatLogTime } from '../../src/cli/views/local-time.ts';
import { listRecentRequests } from '../../src/contract/admin/daemon.ts';
import { RECENT_REQUESTS_MAX } from '../../src/contract/limits.ts';

const LIMIT_DEFAULT = 50;

export default operationCommand(listRecentRequests, {
  summary: 'List the latest requests, newest first',
  description: `The daemon remembers the last ${String(RECENT_REQUESTS_MAX)} requests to the API since its start, without query, headers and body.`,
  flags: {
    ...requestFilterFlags,
    ...limitFlags(LIMIT_DEFAULT),
  },
  examples: [
    'requests list',
    'requests list --since 10m',
    'requests list --status 4xx,5xx',
    "requests list --key 'Shop sync' --operation orders.",
  ],
  async run(context) {
    const { flags, output } = context;
    const isTable = output.format === 'table';
    const columns = isTable ? REQUEST_TABLE_COLUMNS : REQUEST_FIELDS;
    const view = output.validateView({ fields: REQUEST_FIELDS, columns, derived: REQUEST_DERIVED, neverTruncated: ['time', 'method'] });
    const passes = await createRequestFilter(context);
    const { requests } = (await requestOnce(context, listRecentRequests)).body.data;
    const matching = requests.filter(passes).toReversed();
    const data = matching.slice(0, flags.all ? Infinity : (flags.limit ?? LIMIT_DEFAULT));
    await output.printList({ data }, view);
    if (matching.length > data.length && isTable)
      output.printNote(`${String(data.length)} of ${String(matching.length)} requests — use --limit for more, or --all for every row`);
    const [oldest] = requests;
    if (oldest && requests.length >= RECENT_REQUESTS_MAX && isTable)
      output.printNote(`Remembered are those since ${formatLogTime(oldest.at)}`);
    if (data.length === 0 && output.format !== 'json') output.printNoRows();
  },
});

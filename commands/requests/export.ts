import { Flags } from '@oclif/core';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { requestOnce } from '../../src/cli/records/request.ts';
import { toCurl, toHar } from '../../src/cli/requests/formats.ts';
import { listRecordedRequests } from '../../src/contract/admin/requests.ts';

const FIELDS = ['at', 'method', 'path', 'status', 'milliseconds', 'operationId', 'keyPrefix', 'requestId', 'request', 'response'];
const COLUMNS = ['at', 'method', 'path', 'status', 'milliseconds'];

export default operationCommand(listRecordedRequests, {
  flags: {
    har: Flags.boolean({
      description: 'Print a HAR document, for the developer tools of browsers.',
      exclusive: ['curl', 'json', 'output'],
    }),
    curl: Flags.boolean({ description: 'Print curl commands that send the key of STOCKROOM_API_KEY.', exclusive: ['json', 'output'] }),
  },
  examples: ['requests export --har > requests.har', 'requests export --curl --operation orders. --status 4xx'],
  async run(context) {
    const { flags, output, session } = context;
    const view = output.validateView({ fields: FIELDS, columns: COLUMNS });
    const { body, text } = await requestOnce(context, listRecordedRequests);
    if (flags.curl) return output.write(body.data.map((request) => `${toCurl(request)}\n`).join(''));
    if (!flags.har) return void (await output.printList(body, view, text));
    await output.write(`${JSON.stringify(toHar(body.data, session.target.url.value), null, 2)}\n`);
  },
});

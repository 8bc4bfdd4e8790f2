import { Args, Flags } from '@oclif/core';
import { watchInterrupts } from '../../src/cli/session/interrupt.ts';
import { createProgress } from '../../src/cli/bulk/progress.ts';
import { defineCommand } from '../../src/cli/command/define-command.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { confirmOrCancel } from '../../src/cli/input/confirm.ts';
import { formatCountWithNoun } from '../../src/cli/output/numbers.ts';
import { readRecording } from '../../src/cli/requests/read-recording.ts';
import { createAgainstAccess } from '../../src/cli/session/api-session.ts';
import { replay } from '../../src/conform/replay.ts';
import { isLoopbackHost } from '../../src/platform/loopback.ts';

const COLUMNS = ['number', 'request', 'what', 'expected', 'got'];

export default defineCommand({
  access: createAgainstAccess(
    Flags.string({ helpValue: 'PROFILE', description: 'Profile of the service. Default: that of --url.', exclusive: ['url'] }),
  ),
  summary: 'Replay recorded requests against a service',
  description:
    'Plays the requests in their order and maps ids, order numbers and cursors by their position in the replies; shows the first reply that differs, and exits with 9. Limited and failed requests, and those that were recorded with an invalid key, are skipped.',
  args: {
    file: Args.string({ required: true, description: 'HAR document, or output of `requests export --json`; - for stdin.' }),
  },
  flags: yesFlag,
  examples: ['requests replay requests.har --against staging', 'requests replay requests.har --url http://127.0.0.1:8625'],
  async run(context) {
    const { args, output, session } = context;
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS });
    const exchanges = readRecording(args.file);
    const { transport, key, url } = await session.resolveConnection();
    if (key === undefined) throw usageError(`No key for ${url}`, 'Set STOCKROOM_API_KEY, or name a profile with --against');
    const writes = exchanges.filter(({ method }) => method !== 'GET').length;
    if (writes > 0 && !isLoopbackHost(new URL(url).hostname))
      await confirmOrCancel(context, `Send ${formatCountWithNoun(writes, 'writes')} to ${url}?`, 'nothing was sent');
    const progress = createProgress({ noun: 'requests', total: exchanges.length });
    const interrupt = watchInterrupts(() => progress.clear());
    const { played, skipped, difference } = await replay(exchanges, {
      transport,
      key,
      onProgress: (done) => progress.show(done),
      signal: interrupt.signal,
    }).finally(() => {
      progress.clear();
      interrupt.release();
    });
    const data = difference ? [difference] : [];
    if (difference || output.format === 'json') await output.printList({ data }, view, JSON.stringify({ data, played, skipped }));
    output.printNote(`${formatCountWithNoun(played, 'requests')}: ${difference ? 'the reply to the last one differs' : 'no difference'}`);
    if (skipped > 0) output.printDimNote(`Skipped: ${formatCountWithNoun(skipped, 'requests')}`);
    process.exitCode = interrupt.exit ?? (difference ? EXIT.checkFailed : EXIT.ok);
  },
});

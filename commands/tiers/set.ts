import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { isJsonNumber, toLosslessNumber } from '../../src/cli/lossless-json.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import type { AdminContext } from '../../src/cli/session/admin-session.ts';
import { setTier, tierName } from '../../src/contract/admin/tiers.ts';
import { Args } from '@oclif/core';

export default operationCommand(setTier, {
  description: 'Takes effect immediately.',
  args: {
    ...paramArgs(setTier),
    // Named like its field, so that validation errors refer to it.
    requests_per_minute: Args.string({ required: true, description: 'Requests per minute.' }),
  },
  without: ['requestsPerMinute'],
  examples: ['tiers set elevated 1200', 'tiers set trickle 3 --json'],
  async run(context) {
    const { args } = context;
    const { tier, requests_per_minute: requests } = args as Record<'tier' | 'requests_per_minute', string>;
    const { pattern = '', max = 0, hint = '' } = tierName();
    // Validated here, because the service reports an invalid name in the path as 404.
    if (tier !== '' && (tier.length > max || !new RegExp(pattern, 'u').test(tier)))
      throw usageError(`Invalid TIER "${tier}". Expected ${hint}, at most ${String(max)} characters`);
    if (!isJsonNumber(requests)) throw usageError(`Invalid REQUESTS_PER_MINUTE "${requests}". Expected a number`);
    const reply = await writeRecord(context, setTier, { requestsPerMinute: toLosslessNumber(requests) });
    if (reply) noteStartFlag(context, tier, Number(requests));
  },
});

/** Warns that the --tier flag of `daemon start` overrides the stored value after a restart. */
function noteStartFlag({ output, session }: AdminContext, tier: string, requests: number): void {
  const started = session.target.daemon?.options.tiers?.[tier];
  if (started === undefined || started === requests) return;
  const again = `\`stockroom daemon start --tier ${tier}=${String(requests)}\``;
  output.printNote(
    `The daemon was started with --tier ${tier}=${String(started)}, which applies again after a restart. Use ${again} to keep the new value`,
  );
}

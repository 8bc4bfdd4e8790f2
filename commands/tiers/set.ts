import { Args } from '@oclif/core';
import { toLosslessNumber, isJsonNumber } from '../../src/cli/input/lossless-json.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { setTier, tierName } from '../../src/contract/admin/tiers.ts';

export default class TiersSet extends AdminCommand {
  static override summary = 'Create or update a rate-limit tier';
  static override description = 'Takes effect immediately.';
  static override args = {
    ...paramArgs(setTier, { tier: 'Name of the tier.' }),
    // Named like its field, so that validation errors refer to it.
    requests_per_minute: Args.string({ required: true, ignoreStdin: true, description: 'Requests per minute.' }),
  };
  static override examples = ['<%= config.bin %> tiers set elevated 1200', '<%= config.bin %> tiers set trickle 3 --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TiersSet);
    const { tier, requests_per_minute: requests } = args as Record<'tier' | 'requests_per_minute', string>;
    const { pattern = '', max = 0, hint = '' } = tierName();
    // Validated here, because the service reports an invalid name in the path as 404.
    if (tier !== '' && (tier.length > max || !new RegExp(pattern, 'u').test(tier)))
      throw usageError(`Invalid TIER "${tier}". Expected ${hint}, at most ${String(max)} characters`);
    if (!isJsonNumber(requests)) throw usageError(`Invalid REQUESTS_PER_MINUTE "${requests}". Expected a number`);
    const reply = await this.write(setTier, { args, flags }, { requestsPerMinute: toLosslessNumber(requests) });
    if (reply) this.noteStartFlag(tier, Number(requests));
  }

  /** Warns that the --tier flag of `daemon start` overrides the stored value after a restart. */
  private noteStartFlag(tier: string, requests: number): void {
    const started = this.target.daemon?.options.tiers?.[tier];
    if (started === undefined || started === requests) return;
    const again = `\`stockroom daemon start --tier ${tier}=${String(requests)}\``;
    this.printNote(
      `The daemon was started with --tier ${tier}=${String(started)}, which applies again after a restart. Use ${again} to keep the new value`,
    );
  }
}

import { Flags } from '@oclif/core';
import { watchInterrupts } from '../src/cli/session/interrupt.ts';
import { defineCommand } from '../src/cli/command/define-command.ts';
import type { Output } from '../src/cli/command-output.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { createProgress } from '../src/cli/bulk/progress.ts';
import { integerFlag } from '../src/cli/input/integer-flag.ts';
import { createAgainstAccess } from '../src/cli/session/api-session.ts';
import { createHttpTransport } from '../src/client/transport/transport.ts';
import { listReads } from '../src/conform/probes.ts';
import { type Outcome, playSteps } from '../src/conform/run.ts';
import { listWrites } from '../src/conform/story.ts';
import { getAuthContext } from '../src/contract/resources/auth-context.ts';
import { getOrganization } from '../src/contract/resources/organization.ts';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

const COLUMNS = ['operation', 'probe', 'what', 'expected', 'got'];
const MINUTE_MS = 60_000;
const PER_MINUTE = 100;

export default defineCommand({
  access: createAgainstAccess(Flags.string({ required: true, helpValue: 'PROFILE', description: 'Profile of the service to compare.' })),
  summary: 'Compare a service with the contract',
  description:
    'Sends the same requests to the service and to a temporary local one that has the given contract only, valid ones and one for each thing that can be wrong, and lists where status, error, shape or headers differ; exits with 9 if any do. With --write also creates, changes and deletes records, and lists what has no delete.',
  flags: {
    write: Flags.boolean({ description: 'Also write. Needs --tenant.', dependsOn: ['tenant'] }),
    tenant: Flags.string({ helpValue: 'SLUG', description: 'The tenant of the key, to confirm where is written.', dependsOn: ['write'] }),
    'per-minute': integerFlag({
      min: 1,
      max: 100_000,
      default: PER_MINUTE,
      helpValue: 'N',
      description: `Requests per minute to the service. Default: ${String(PER_MINUTE)}.`,
    }),
  },
  examples: ['conform --against shop', 'conform --against staging --write --tenant sandbox --json'],
  async run({ flags, output, session }) {
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS });
    const [client, { transport, key = '' }] = [await session.connect(), await session.resolveConnection()];
    const { plan } = (await client.perform(getAuthContext)).body.data.tenant;
    if (flags.write) {
      const { slug } = (await client.perform(getOrganization)).body.data;
      if (slug !== flags.tenant)
        throw usageError(
          `The key of profile ${flags.against} belongs to tenant ${slug}, not ${String(flags.tenant)}`,
          'Pass the tenant of the key',
        );
    }
    const [{ startStockroom }, { listStrictOperations }] = await Promise.all([
      import('../src/embedded/index.ts'),
      import('../src/contract/strict.ts'),
    ]);
    const operations = listStrictOperations();
    await using reference = await startStockroom({ contract: 'strict', demo: true, plan });
    // Rejections of a lower plan are no difference.
    await reference.admin.tenants.update(reference.tenant.slug, { plan });
    const steps = [...listReads(operations), ...(flags.write ? listWrites(operations, randomBytes(3).toString('hex')) : [])];
    const progress = createProgress({ noun: 'requests', total: steps.length });
    const interrupt = watchInterrupts(() => progress.clear());
    const own = { transport: createHttpTransport({ url: reference.url }), key: reference.apiKey };
    const outcome = await playSteps(own, { transport, key }, steps, {
      operations,
      pace: createPace(flags['per-minute']),
      onProgress: (done) => progress.show(done),
      signal: interrupt.signal,
    });
    progress.clear();
    interrupt.release();
    const { differences, ...rest } = outcome;
    await output.printList({ data: differences }, view, JSON.stringify({ data: differences, ...rest }));
    report(output, outcome);
    process.exitCode = interrupt.exit ?? (differences.length > 0 ? EXIT.checkFailed : EXIT.ok);
  },
});

/** Spreads requests evenly. */
function createPace(perMinute: number): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = performance.now();
    next = Math.max(now, next) + MINUTE_MS / perMinute;
    await setTimeout(next - MINUTE_MS / perMinute - now);
  };
}

function report(output: Output, { played, skipped, differences, left }: Outcome): void {
  const count =
    differences.length === 0 ? 'no difference' : `${String(differences.length)} ${differences.length === 1 ? 'difference' : 'differences'}`;
  output.printNote(`${String(played)} requests: ${count}`);
  if (skipped.length > 0) output.printDimNote(`Not tried for want of a record: ${skipped.join(', ')}`);
  if (left.length > 0) output.printNote(`Could not delete: ${left.join(', ')}`);
}

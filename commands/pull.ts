import { watchInterrupts } from '../src/cli/session/interrupt.ts';
import { createProgress } from '../src/cli/bulk/progress.ts';
import { RateLimiter, RateLimitWaitTooLong } from '../src/cli/bulk/rate-limiter.ts';
import { JobStopped } from '../src/cli/bulk/send.ts';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { ExplainedError, explainError, getApiError } from '../src/cli/errors/explained-error.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { preferSmallHeap } from '../src/cli/heap-limits.ts';
import { tenantFlag } from '../src/cli/input/common-flags.ts';
import { formatCountWithNoun, formatCountdown } from '../src/cli/output/numbers.ts';
import type { CopyOptions } from '../src/cli/pull/copy-records.ts';
import type { CopyStockOptions } from '../src/cli/pull/copy-stock.ts';
import type { Difference } from '../src/cli/pull/diff.ts';
import { type Kind, KINDS, openIdMap } from '../src/cli/pull/id-map.ts';
import { resolveSource } from '../src/cli/pull/source-flags.ts';
import { openSource, type SourceReader, type SourceRecord } from '../src/cli/pull/source.ts';
import { type Counts, formatSummary, type PullSummary, type Refusal, toSummaryJson } from '../src/cli/pull/summary.ts';
import { createTraceOptions } from '../src/cli/session/session.ts';
import { adminAccess, type AdminContext } from '../src/cli/session/admin-session.ts';
import { createClient } from '../src/client/client.ts';
import { createDaemonTransport, requireDaemonState } from '../src/client/transport/daemon-transport.ts';
import { UnexpectedResponse, Unreachable } from '../src/client/errors.ts';
import { RATE_WINDOW_S } from '../src/contract/limits.ts';
import { getOrganization } from '../src/contract/resources/organization.ts';
import { Flags } from '@oclif/core';

const CLIENT_COUNT = 8;

type PullContext = AdminContext & {
  readonly flags: { readonly diff: boolean; readonly resume: boolean; readonly tenant: string | undefined };
};

export default defineCommand({
  access: adminAccess,
  summary: 'Copy a tenant of another service into this daemon',
  description: `Copies contacts, items with ingredients and suppliers, orders and stock into a new tenant with its own profile; the source needs only a read key and is not changed. Run the same command again to continue an interrupted copy, or to copy new and changed records.`,
  flags: {
    from: Flags.string({ helpValue: 'URL', description: 'URL of the service to copy from. Default: the URL of --from-profile.' }),
    'from-profile': Flags.string({ helpValue: 'NAME', description: 'Saved profile with the URL and key of the source.' }),
    'from-key-file': Flags.string({
      helpValue: 'FILE|-',
      description: 'Read the API key of the source from a file, or - for stdin. Default: STOCKROOM_FROM_API_KEY.',
    }),
    diff: Flags.boolean({
      description: 'List differences between the source and the copy without changing anything. Exits with 9 if there are any.',
    }),
    resume: Flags.boolean({ description: 'Only continue an interrupted pull; fail if there is none.' }),
    tenant: tenantFlag,
  },
  examples: [
    'pull --from https://api.example.com --from-key-file key.txt',
    'pull --from-profile production --tenant rehearsal',
    'pull --from https://api.example.com --from-key-file key.txt --diff',
  ],
  async run(context) {
    const { flags, output } = context;
    preferSmallHeap();
    const { url, key } = resolveSource(flags, process.env);
    if (flags['from-key-file'] !== undefined) output.warnIfReadableByOthers(flags['from-key-file']);
    const interrupt = watchInterrupts();
    const pace = new RateLimiter({
      signal: interrupt.signal,
      maxWait: flags['max-wait'] ?? RATE_WINDOW_S,
      onWait: (seconds) => output.printNote(`Rate limit of ${url} reached; continuing in ${formatCountdown(seconds)}`),
    });
    try {
      await pull(context, url, openSource(url, key, pace, interrupt.signal), interrupt.signal);
    } catch (error) {
      if (interrupt.exit === null || !(error instanceof JobStopped)) throw explainSourceError(error, url);
    } finally {
      interrupt.release();
    }
    if (interrupt.exit !== null) {
      output.printNote('Stopped. Run the same command again to continue.');
      process.exitCode = interrupt.exit;
    }
  },
});

async function pull(context: PullContext, url: string, from: SourceReader, signal: AbortSignal): Promise<void> {
  const { output, session } = context;
  const { diff, resume, tenant: requestedSlug } = context.flags;
  const { daemon } = session.target;
  const dataDir = session.target.dataDir.value;
  const admin = await session.connect();
  const [{ getIdMapPath, openTargetTenant, revokeCopyKey }, { openSettings }] = await Promise.all([
    import('../src/cli/pull/target-tenant.ts'),
    import('../src/cli/pull/settings.ts'),
  ]);
  const organization = await from.getOne(getOrganization);
  const ids = openIdMap(getIdMapPath(process.env, url, String(organization['slug']), dataDir));
  if ((diff || resume) && !ids.state) throw usageError(`Nothing was pulled from ${url} yet`, 'Omit the flag to start');
  const mayCreate = !diff && !resume;
  const target = { admin, from, ids, env: process.env, dataDir, requestedSlug, mayCreate, source: url, organization };
  const { key, profile, tenant } = await openTargetTenant(target);
  const connect = () => {
    const transport = createDaemonTransport(requireDaemonState(daemon, dataDir));
    return createClient({ transport, key, retry: session.retryPolicy, ...createTraceOptions(output, daemon?.url ?? '') });
  };
  const client = connect();
  const settings = await openSettings(admin, tenant.slug);
  const stockOptions = { from, client, admin, tenant: tenant.slug, ids, settings };
  if (diff) {
    await printDifferences(context, { ...stockOptions, houseId: tenant.houseContactId });
    return revokeCopyKey({ admin, ids });
  }
  const { counts, refusals, clearProgress, onCopied, onRefused } = createCopyRecord();
  const clients = [client, ...Array.from({ length: CLIENT_COUNT - 1 }, connect)];
  const houseContact = { name: String(organization['name']), id: tenant.houseContactId };
  const copying: CopyOptions = { source: from, clients, ids, settings, signal, houseContact, inactive: [], onCopied, onRefused };
  const copied = copyAll(copying, stockOptions).finally(clearProgress);
  const stock = await copied.catch((error: unknown) => {
    throw explainInterruption(error);
  });
  if (signal.aborted) return;
  await revokeCopyKey({ admin, ids });
  await printSummary(context, { tenant: tenant.slug, profile, counts, stock, refusals });
}

async function copyAll(copying: CopyOptions, stockOptions: CopyStockOptions): Promise<number> {
  const { source, settings, signal } = copying;
  const [
    { copyContacts, copyItems, copyOrders, copyRecipes, copySuppliers, deactivateRecords },
    { copySettings, copyStock, readLocalUnits },
  ] = await Promise.all([import('../src/cli/pull/copy-records.ts'), import('../src/cli/pull/copy-stock.ts')]);
  await copySettings(source, settings);
  for (const step of [copyContacts, copyItems, copyRecipes, copySuppliers]) if (!signal.aborted) await step(copying);
  if (signal.aborted) return 0;
  const units = await readLocalUnits(stockOptions.client);
  await copyOrders(copying, (id) => settings.getLocalUnit(units.get(id)));
  if (signal.aborted) return 0;
  const changed = await copyStock(stockOptions);
  await deactivateRecords(copying);
  return changed;
}

async function printDifferences({ output }: AdminContext, parts: CopyStockOptions & { readonly houseId: string }): Promise<void> {
  const [{ listDifferences }, { listStockDifferences }] = await Promise.all([
    import('../src/cli/pull/diff.ts'),
    import('../src/cli/pull/copy-stock.ts'),
  ]);
  const found: Difference[] = [];
  for await (const difference of listDifferences(parts.from, parts.client, parts.ids, parts.houseId)) found.push(difference);
  for await (const { name, remote, local } of listStockDifferences(parts))
    found.push({ kind: 'stock', name, difference: `on hand: ${String(local)} here, ${String(remote)} there`, id: null });
  const fields = ['kind', 'name', 'difference', 'id'];
  if (found.length > 0 || output.format === 'json') await output.printList({ data: found }, { fields, columns: fields });
  output.printNote(found.length === 0 ? 'No differences' : formatCountWithNoun(found.length, 'differences'));
  if (found.length > 0) process.exitCode = EXIT.checkFailed;
}

async function printSummary({ output }: AdminContext, done: PullSummary): Promise<void> {
  if (output.format === 'json') await output.write(`${toSummaryJson(done)}\n`);
  for (const line of formatSummary(done)) output.printNote(line);
  if (done.refusals.length > 0) process.exitCode = EXIT.partial;
}

/** An error while records are copied. */
function explainInterruption(error: unknown): unknown {
  if (error instanceof Unreachable)
    return new ExplainedError(error, { hint: 'Copied records are kept; run the same command again to continue' });
  return explainError(error, () => ({ hint: 'Run the same command again to continue' }));
}

function explainSourceError(error: unknown, url: string): unknown {
  if (error instanceof RateLimitWaitTooLong)
    return new Failure('RATE_LIMITED', `Still rate limited by ${url}; the window ends in ${formatCountdown(error.seconds)}`, {
      hint: `Run the same command again to continue; allow the wait with --max-wait ${String(error.seconds)}`,
      cause: error,
    });
  if (error instanceof UnexpectedResponse || (error instanceof Unreachable && error.address === url))
    return new ExplainedError(error, { hint: 'Check --from' });
  const rejection = getApiError(error);
  return rejection?.status === 401 ? new ExplainedError(rejection, { hint: `Check that the key belongs to ${url}` }) : error;
}

const getRecordName = (record: SourceRecord): string => record.orderNumber ?? record.name ?? record.id;

/** Counts what was copied, and shows the progress of each kind of record. */
function createCopyRecord() {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, { copied: 0, unchanged: 0, refused: 0 }])) as Record<Kind, Counts>;
  const refusals: Refusal[] = [];
  let progress = createProgress({ noun: '', total: null });
  let shownKind: Kind | undefined;
  return {
    counts,
    refusals,
    clearProgress: () => progress.clear(),
    onCopied(kind: Kind, outcome: keyof Counts, total: number): void {
      counts[kind][outcome] += 1;
      if (shownKind !== kind) {
        progress.clear();
        // Only these totals are known: orders are read in five lists, and not every item has ingredients.
        progress = createProgress({ noun: kind, total: kind === 'contacts' || kind === 'items' ? total : null });
        shownKind = kind;
      }
      progress.show(counts[kind].copied + counts[kind].unchanged + counts[kind].refused);
    },
    onRefused: (kind: Kind, record: SourceRecord, error: Error) =>
      void refusals.push({ kind, id: record.id, name: getRecordName(record), error: error.message }),
  };
}

import { Flags } from '@oclif/core';
import { createClient } from '../src/client/client.ts';
import { daemonTransport, expectDaemon } from '../src/client/daemon.ts';
import { ApiError, Foreign, Unreachable } from '../src/client/errors.ts';
import { preferSmallHeap } from '../src/cli/frugal.ts';
import { watchInterrupts } from '../src/cli/bulk/interrupt.ts';
import { TooLong, newPace } from '../src/cli/bulk/pace.ts';
import { grouped, newProgress, timeText } from '../src/cli/bulk/progress.ts';
import { Stopped } from '../src/cli/bulk/send.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { Failure, type Setting, usage } from '../src/cli/failure.ts';
import { SettingsCommand, tenantFlag } from '../src/cli/settings-command.ts';
import type { Copying } from '../src/cli/pull/copy.ts';
import type { Difference } from '../src/cli/pull/diff.ts';
import { KINDS, type Kind, openIdMap } from '../src/cli/pull/id-map.ts';
import { type Counts, type Pulled, type Refusal, pulledJson, pulledLines } from '../src/cli/pull/summary.ts';
import { sourceOf } from '../src/cli/pull/source-flags.ts';
import type { StockParts } from '../src/cli/pull/stock.ts';
import { type Rec, openOrigin } from '../src/cli/pull/origin.ts';
import { listItems } from '../src/contract/items.ts';
import { getOrganization } from '../src/contract/organization.ts';
import { RATE_WINDOW_S } from '../src/contract/limits.ts';

const LANES = 8;

export default class Pull extends SettingsCommand {
  static override summary = 'Copy a tenant of another service into this daemon, to work on it offline';
  static override description = `Copies contacts, items with ingredients and suppliers, orders with lines, and stock, from any service with this API; a key that may read is enough, and nothing is written there. The copy becomes a tenant of its own with a profile of its own. Cut off, the same command goes on; repeated, it copies what is new or changed.
Ids, times, users, webhooks and the history of stock are the copy's own; who an order is assigned to cannot be read.`;
  static override flags = {
    from: Flags.string({ helpValue: 'URL', description: 'The service to copy from. Default: the address of --from-profile.' }),
    'from-profile': Flags.string({ helpValue: 'NAME', description: 'A saved profile with its address and key.' }),
    'from-key-file': Flags.string({
      helpValue: 'FILE|-',
      description: 'A file with the API key, or - for stdin. Default: STOCKROOM_FROM_API_KEY.',
    }),
    diff: Flags.boolean({
      description: 'Change nothing; list what differs between the service and the copy, and exit 9 when something does.',
    }),
    resume: Flags.boolean({ description: 'Go on with a pull that was cut off. That happens anyway; this refuses to begin a new one.' }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> pull --from https://api.example.com --from-key-file key.txt',
    '<%= config.bin %> pull --from-profile production --tenant rehearsal',
    '<%= config.bin %> pull --from https://api.example.com --from-key-file key.txt --diff',
  ];

  private advice: string | undefined;

  protected override setting(): Setting {
    return { ...super.setting(), ...(this.advice === undefined ? {} : { advice: this.advice }) };
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Pull);
    preferSmallHeap();
    const { url, key } = sourceOf(flags, process.env);
    const interrupt = watchInterrupts();
    const pace = newPace({
      signal: interrupt.signal,
      maxWait: (this.globals as { 'max-wait'?: number })['max-wait'] ?? RATE_WINDOW_S,
      onWait: (seconds) => this.note(`rate limit of ${url} reached; going on in ${timeText(seconds)}`),
    });
    try {
      await this.pull({ url, key, wanted: flags.tenant, diff: flags.diff, resume: flags.resume }, pace, interrupt.signal);
    } catch (error) {
      if (interrupt.exit === null || !(error instanceof Stopped)) throw this.explained(error, url);
    } finally {
      interrupt.release();
    }
    if (interrupt.exit !== null) {
      this.note('stopped; the same command goes on');
      process.exitCode = interrupt.exit;
    }
  }

  private async pull(
    { url, key, wanted, diff, resume }: { url: string; key: string; wanted: string | undefined; diff: boolean; resume: boolean },
    pace: ReturnType<typeof newPace>,
    signal: AbortSignal,
  ): Promise<void> {
    const { dataDir, daemon } = this.target;
    const transports = () => daemonTransport(expectDaemon(daemon, dataDir.value), dataDir.value);
    const admin = await this.connect();
    const [{ closeCopyTenant, idMapPath, openCopyTenant }, { openSettings }] = await Promise.all([
      import('../src/cli/pull/copy-tenant.ts'),
      import('../src/cli/pull/settings.ts'),
    ]);
    const from = openOrigin(url, key, pace, signal);
    this.advice = undefined;
    const organization = await from.one(getOrganization);
    const ids = openIdMap(idMapPath(process.env, url, String(organization['slug']), dataDir.value));
    if ((diff || resume) && !ids.state) throw usage(`nothing was pulled from ${url} yet`, 'leave the flag out to begin');
    const copy = await openCopyTenant({ admin, from, ids, env: process.env, dataDir: dataDir.value, wanted, source: url, organization });
    const { tenant } = copy;
    const lanes = Array.from({ length: LANES }, () =>
      createClient({ transport: transports(), key: copy.key, retry: this.retryPolicy(), ...this.tracer(daemon?.url ?? '') }),
    );
    const [client] = lanes;
    if (!client) return;
    const settings = await openSettings(admin, tenant.slug);
    if (diff) {
      await this.tellDifferences({ from, client, admin, ids, settings, tenant: tenant.slug, houseId: tenant.houseContactId });
      await closeCopyTenant({ admin, ids });
      return;
    }
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, { copied: 0, unchanged: 0, refused: 0 }])) as Record<Kind, Counts>;
    const refusals: Refusal[] = [];
    const progress = { of: newProgress({ what: '', total: null }), kind: '', total: 0 };
    const copying: Copying = {
      from,
      lanes,
      ids,
      settings,
      signal,
      house: { name: String(organization['name']), id: tenant.houseContactId },
      onCopied(kind, outcome, total) {
        counts[kind][outcome] += 1;
        if (progress.kind !== kind) {
          progress.of.clear();
          // Orders come in five lists and recipes are of some items only, so only these totals are right.
          progress.of = newProgress({ what: kind, total: kind === 'contacts' || kind === 'items' ? total : null });
          progress.kind = kind;
        }
        progress.of.show(counts[kind].copied + counts[kind].unchanged + counts[kind].refused);
      },
      onRefused: (kind, record, error) => void refusals.push({ kind, id: record.id, name: nameOf(record), error: error.message }),
    };
    this.advice = 'the same command goes on';
    const stock = await this.copyAll(copying, admin, tenant.slug, () => progress.of.clear());
    if (signal.aborted) return;
    await closeCopyTenant({ admin, ids });
    await this.tell({ tenant: tenant.slug, profile: copy.profile, counts, stock, refusals });
  }

  private async copyAll(copying: Copying, admin: Awaited<ReturnType<Pull['connect']>>, tenant: string, clear: () => void): Promise<number> {
    const { from, lanes, ids, settings, signal } = copying;
    const [{ copyContacts, copyItems, copyOrders, copyRecipes, copySuppliers, retire }, { copyStock, meetSettings, unitsHere }] =
      await Promise.all([import('../src/cli/pull/copy.ts'), import('../src/cli/pull/stock.ts')]);
    const [client] = lanes;
    if (!client) return 0;
    try {
      await meetSettings(from, settings);
      for (const step of [copyContacts, copyItems, copyRecipes, copySuppliers]) if (!signal.aborted) await step(copying);
      if (signal.aborted) return 0;
      const units = await unitsHere(client, listItems);
      await copyOrders(copying, (id) => settings.unitHere(units.get(id)));
      if (signal.aborted) return 0;
      const changed = await copyStock({ from, client, admin, tenant, ids, settings });
      await retire(copying);
      return changed;
    } finally {
      clear();
    }
  }

  private async tellDifferences(parts: StockParts & { readonly houseId: string }): Promise<void> {
    const [{ differencesOf }, { stockDifferences }] = await Promise.all([
      import('../src/cli/pull/diff.ts'),
      import('../src/cli/pull/stock.ts'),
    ]);
    const found: Difference[] = [];
    for await (const difference of differencesOf(parts.from, parts.client, parts.ids, parts.houseId)) found.push(difference);
    for await (const { name, there, here } of stockDifferences(parts))
      found.push({ kind: 'stock', name, difference: `on hand: ${String(here)} here, ${String(there)} there`, id: null });
    const fields = ['kind', 'name', 'difference', 'id'];
    if (found.length > 0 || this.format === 'json') await this.printList({ data: found }, { fields, columns: fields });
    this.note(
      found.length === 0 ? 'the copy is the same' : `${grouped(found.length)} ${found.length === 1 ? 'difference' : 'differences'}`,
    );
    if (found.length > 0) process.exitCode = EXIT.checkFailed;
  }

  private async tell(done: Pulled): Promise<void> {
    if (this.format === 'json') await this.out.write(`${pulledJson(done)}\n`);
    for (const line of pulledLines(done)) this.note(line);
    if (done.refusals.length > 0) process.exitCode = EXIT.partial;
  }

  private explained(error: unknown, url: string): unknown {
    if (error instanceof TooLong)
      return new Failure('RATE_LIMITED', `still rate limited by ${url}: the window ends in ${timeText(error.seconds)}`, {
        exit: EXIT.rateLimited,
        hint: `the same command goes on; allow the wait with --max-wait ${String(error.seconds)}`,
        cause: error,
      });
    if (error instanceof Unreachable && this.advice !== undefined)
      return new Failure('unreachable', error.message, {
        exit: EXIT.unreachable,
        hint: 'what was copied stays; the same command goes on',
        cause: error,
      });
    if (error instanceof Foreign || (error instanceof Unreachable && error.address === url))
      return new Failure('unreachable', error.message, { exit: EXIT.unreachable, hint: 'check --from', cause: error });
    if (error instanceof ApiError && error.status === 401) this.advice = `see whether the key is one of ${url}`;
    return error;
  }
}

const nameOf = (record: Rec): string => record.orderNumber ?? record.name ?? record.id;

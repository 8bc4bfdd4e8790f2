/** What the local source needs to reach the daemon, and what both need to know about it before the first frame. */
import type { Client } from '../../client/client.ts';
import { showClock } from '../../contract/admin/clock.ts';
import { getStatus } from '../../contract/admin/daemon.ts';
import { getTenant, listTenants } from '../../contract/admin/tenants.ts';
import { tailDeliveries } from '../../contract/admin/webhooks.ts';
import type { DaemonState } from '../../platform/daemon-state.ts';
import type { About } from '../state/model.ts';
import { describeFaults, readHasLogFile, readStoreProblem } from './daemon-problems.ts';

export interface LocalConnection {
  /** Reads the daemon's state file; throws while there is none. */
  daemon(): DaemonState;
  /** A client of its admin API. */
  admin(daemon: DaemonState): Client;
  /** A client of its public API with the saved key; null without a key of the tenant. */
  api(): Promise<Client | null>;
  readonly tenant: string | undefined;
  /** How long messages are collected before they are dispatched together. */
  readonly batchMs: number;
}

type DaemonAbout = Pick<About, 'url' | 'version' | 'faults' | 'storeProblem' | 'hasLogFile' | 'clockAheadMs'>;

/** `url` is that of its state file. */
export async function readDaemonAbout(client: Client, url: string): Promise<DaemonAbout> {
  const [{ body: status }, { body: clock }] = await Promise.all([client.perform(getStatus), client.perform(showClock)]);
  return {
    url: status.data.url ?? url,
    version: status.data.version,
    faults: describeFaults(status.data),
    storeProblem: readStoreProblem(status.data),
    hasLogFile: readHasLogFile(status.data),
    clockAheadMs: clock.data.offsetSeconds * 1_000,
  };
}

/** Throws the error that a command would print when no daemon runs or the tenant does not exist. */
export async function readLocalAbout({ daemon, admin, tenant }: LocalConnection): Promise<DaemonAbout & Pick<About, 'tenant'>> {
  const state = daemon();
  const client = admin(state);
  return { ...(await readDaemonAbout(client, state.url)), tenant: await readTenant(client, tenant) };
}

async function readTenant(client: Client, tenant: string | undefined): Promise<About['tenant']> {
  if (tenant !== undefined) {
    const { data } = (await client.perform(getTenant, { params: { tenant } })).body;
    return { slug: data.slug, name: data.name, plan: data.plan, currency: data.currency };
  }
  const { data } = (await client.perform(listTenants, { query: { page_size: 2 } })).body;
  const [only, other] = data;
  // Fails with the service's error, which lists the tenants.
  if (!only || other) await client.perform(tailDeliveries, { query: { limit: 1 } });
  return { slug: only?.slug ?? null, name: only?.name ?? null, plan: only?.plan ?? null, currency: only?.currency ?? null };
}

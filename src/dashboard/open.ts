/** The source that belongs to a target: the daemon of this machine, or a service elsewhere. */
import { type Client, createClient } from '../client/client.ts';
import { adminTransport, expectDaemon } from '../client/daemon.ts';
import { type Target, readDaemon } from '../client/target.ts';
import type { About } from './model.ts';
import type { Source } from './source.ts';
import { localAbout, localSource } from './source-local.ts';
import { remoteAbout, remoteSource } from './source-remote.ts';

export interface OpenOptions {
  readonly target: Target;
  /** Slug of the tenant, where the daemon has several. */
  readonly tenant: string | undefined;
  /** A client of the public API with the key of the target. */
  connect(): Promise<Client>;
  /** How long messages are gathered before they are shown together. */
  readonly gatherMs: number;
}

/** The public part of a production key. */
const LIVE_KEY = /^pk_live_[^_]{1,8}/u;
/** The dashboard waits by itself, and says so. */
const NO_RETRY = { maxWaitMs: 0, wait: () => Promise.resolve() };

/** Asks who is there; throws what a command says when nobody is. */
export async function openSource({ target, tenant, connect, gatherMs }: OpenOptions): Promise<{ about: About; source: Source }> {
  const common = { url: target.url.value, local: target.local, version: null, faults: null, pace: null, clockAheadMs: 0 };
  if (!target.local) {
    const api = await connect();
    return { about: { ...common, ...(await remoteAbout(api)) }, source: remoteSource(api) };
  }
  const { value: dataDir } = target.dataDir;
  const places = {
    // Read again each time: a daemon that was restarted is elsewhere.
    daemon: () => expectDaemon(readDaemon(dataDir), dataDir),
    admin: (daemon: Parameters<typeof adminTransport>[0]) => createClient({ transport: adminTransport(daemon, dataDir), retry: NO_RETRY }),
    api: () => (target.key === undefined ? null : connect()),
    tenant: tenant ?? target.tenant?.value,
    gatherMs,
  };
  const productionKey = LIVE_KEY.exec(target.key?.value ?? '')?.[0] ?? null;
  return { about: { ...common, productionKey, ...(await localAbout(places)) }, source: localSource(places) };
}

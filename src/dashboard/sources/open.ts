/** Opens the source of a target: the local daemon or a remote service. */
import { type Client, createClient } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { createAdminTransport, requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { readDaemonState } from '../../client/settings/local-daemons.ts';
import type { Target } from '../../client/settings/target.ts';
import { getTenant } from '../../contract/admin/tenants.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import type { About } from '../state/model.ts';
import type { Source } from './source.ts';
import { createLocalSource } from './local.ts';
import { readLocalAbout } from './local-connection.ts';
import { readRemoteAbout, createRemoteSource } from './remote.ts';

export interface OpenOptions {
  readonly target: Target;
  /** Slug of the tenant, if the daemon has several. */
  readonly tenant: string | undefined;
  /** Whether the key may be of another tenant than `tenant`. */
  readonly isTenantGiven: boolean;
  /** A client of the public API with the key of the target. */
  connect(): Promise<Client>;
  /** How long messages are collected before they are shown together. */
  readonly batchMs: number;
}

/** The public part of a production key. */
const LIVE_KEY = /^pk_live_[^_]{1,8}/u;

/** Throws the error that a command would print when the service cannot be reached. */
export async function openSource({
  target,
  tenant,
  isTenantGiven,
  connect,
  batchMs,
}: OpenOptions): Promise<{ about: About; source: Source }> {
  const common = {
    url: target.url.value,
    isLocal: target.isLocal,
    version: null,
    faults: null,
    storeProblem: null,
    hasLogFile: false,
    polling: null,
    clockAheadMs: 0,
  };
  if (!target.isLocal) {
    const api = await connect();
    return { about: { ...common, ...(await readRemoteAbout(api)) }, source: createRemoteSource(api) };
  }
  const { value: dataDir } = target.dataDir;
  // Read each time: a restarted daemon has another address.
  const daemon = () => requireDaemonState(readDaemonState(dataDir), dataDir);
  const admin = (state: ReturnType<typeof daemon>) =>
    // Without retries: the dashboard reconnects on its own and shows it.
    createClient({ transport: createAdminTransport(state) });
  const isForeign =
    tenant !== undefined && isTenantGiven && target.key !== undefined && (await isKeyOfOther(tenant, admin(daemon()), connect));
  const connection = {
    daemon,
    admin,
    api: async () => (target.key === undefined || isForeign ? null : connect()),
    tenant: tenant ?? target.tenant?.value,
    batchMs,
  };
  const productionKey = LIVE_KEY.exec(target.key?.value ?? '')?.[0] ?? null;
  return { about: { ...common, productionKey, ...(await readLocalAbout(connection)) }, source: createLocalSource(connection) };
}

/** Whether the key is of another tenant. One that is not accepted is not: what it reads fails. */
async function isKeyOfOther(tenant: string, admin: Client, connect: OpenOptions['connect']): Promise<boolean> {
  const { id } = (await admin.perform(getTenant, { params: { tenant } })).body.data;
  const own = await (await connect()).perform(getAuthContext).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  return own !== undefined && own.body.data.tenant.id !== id;
}

/** The session of commands of the admin API: the daemon of a data directory over its owner-only socket, without a key. */
import { type Client, createClient } from '../../client/client.ts';
import { createAdminTransport, createDaemonTransport, requireDaemonState } from '../../client/transport/daemon-transport.ts';
import { toApiError } from '../../client/errors.ts';
import type { RetryPolicy } from '../../client/transport/retry.ts';
import type { Target } from '../../client/settings/target.ts';
import { getTenant } from '../../contract/admin/tenants.ts';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import type { Operation } from '../../contract/operation.ts';
import type { RecordList } from '../../contract/record-lists.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { Failure, usageError } from '../errors/failure.ts';
import type { HintContext } from '../errors/hints.ts';
import type { RecordSource } from '../input/resolve-names.ts';
import { validateServiceUrl } from '../input/service-url.ts';
import { readServiceClock } from '../input/timestamp.ts';
import type { Output } from '../command-output.ts';
import {
  type Parsed,
  type ServiceContext,
  type ServiceFlags,
  type ServiceSession,
  checkKey,
  createRetryPolicy,
  createTraceOptions,
  getTargetHints,
  isGivenKey,
  readTenantOfGivenKey,
  resolveFlags,
  serviceFlags,
} from './session.ts';

export class AdminSession implements ServiceSession {
  readonly #flags: ServiceFlags;
  readonly #output: Output;
  #target: Target | undefined;

  constructor(flags: ServiceFlags, output: Output) {
    this.#flags = flags;
    this.#output = output;
  }

  get target(): Target {
    if (!this.#target) {
      this.#target = resolveFlags(this.#flags);
      this.#output.reportIgnoredFiles(this.#target);
    }
    return this.#target;
  }

  async connect(): Promise<Client> {
    const transport = createAdminTransport(requireLocalDaemon(this.target));
    return createClient({ transport, retry: this.retryPolicy, ...createTraceOptions(this.#output, '') });
  }

  /** The text at a path that is no operation. */
  async fetchText(path: string): Promise<string> {
    const transport = createAdminTransport(requireLocalDaemon(this.target));
    const { status, text, headers } = await transport({ method: 'GET', path, headers: {} });
    if (status !== 200) throw toApiError(status, text, headers);
    return text;
  }

  get retryPolicy(): RetryPolicy {
    return createRetryPolicy(this.#flags);
  }

  /** Lists of /v1 need a key: that of the profile. */
  async connectToList(list: RecordList, tenant: string | undefined): Promise<RecordSource> {
    const operation = list.adminOperation ?? list.operation;
    const admin = await this.connect();
    if (operation.path.startsWith('/admin/')) return { client: admin, operation, query: { tenant } };
    const client = this.#connectWithKey();
    const own = (await client.perform(getAuthContext)).body.data.tenant;
    const wanted = tenant === undefined ? undefined : (await admin.perform(getTenant, { params: { tenant } })).body.data;
    if (wanted !== undefined && wanted.id !== own.id) {
      const { key, profile } = this.target;
      const keyName = key && isGivenKey(key) ? `the key in ${key.origin}` : `the key of profile ${profile.value}`;
      const { slug } = (await admin.perform(getTenant, { params: { tenant: own.id } })).body.data;
      throw usageError(`Names cannot be looked up in tenant ${wanted.slug}: ${keyName} belongs to tenant ${slug}`, 'Pass the id instead');
    }
    return { client, operation, query: {} };
  }

  async getServiceTime(): Promise<Date> {
    return readServiceClock(await this.connect());
  }

  getHintContext(): Partial<HintContext> {
    return getTargetHints(this.#flags, this.#target);
  }

  /** The tenant of a key in STOCKROOM_API_KEY, as for commands of /v1, else that of the project file or the profile. The flag overrides it. */
  async getTenant(op: Operation, { tenant }: Parsed['flags']): Promise<string | undefined> {
    if (!op.query?.properties['tenant']) return undefined;
    if (typeof tenant === 'string') return tenant;
    const ofKey = await readTenantOfGivenKey(this.target, () => Promise.resolve(this.#connectWithKey()));
    return ofKey ?? this.target.tenant?.value;
  }

  /** A client of /v1 with the key of the environment or the profile. */
  #connectWithKey(): Client {
    const { key, isLocal } = this.target;
    const transport = createDaemonTransport(requireLocalDaemon(this.target));
    // Otherwise the key is for the service at another URL.
    const ownKey = isLocal ? key?.value : undefined;
    if (isLocal) checkKey(key);
    return createClient({ transport, key: ownKey, retry: this.retryPolicy, ...createTraceOptions(this.#output, '') });
  }
}

export const adminAccess = {
  flags: serviceFlags,
  open: (flags: ServiceFlags, output: Output): AdminSession => new AdminSession(flags, output),
};

/** What commands of the admin API work with. */
export interface AdminContext extends ServiceContext {
  readonly session: AdminSession;
}

/** The daemon of a target. Only the owner of a daemon can administer it, on its machine. */
function requireLocalDaemon({ daemon, dataDir, isLocal, profile, url }: Target): DaemonState {
  if (isLocal || daemon) return requireDaemonState(daemon, dataDir.value);
  validateServiceUrl(url.value, url.origin);
  const hint = 'Select a daemon with --data-dir, or list those that run with `stockroom daemon list`';
  if (isLoopbackHost(new URL(url.value).hostname))
    throw new Failure('NO_DAEMON', `None of your daemons listens on ${url.value} (from ${url.origin}); this command needs one`, { hint });
  const service =
    url.origin === `profile ${profile.value}` ? `Profile '${profile.value}'` : `The service ${url.value} (from ${url.origin})`;
  throw new Failure('REMOTE_SERVICE', `${service} is remote; this command needs a local daemon`, { hint });
}

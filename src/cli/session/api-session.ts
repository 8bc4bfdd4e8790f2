/** The session of commands of /v1: the service of the profile or of `--url`, or the local daemon. */
import { isAbsolute } from 'node:path';
import type { Interfaces } from '@oclif/core';
import { type Client, createClient } from '../../client/client.ts';
import { createAdminTransport, createDaemonTransport, requireDaemonState } from '../../client/transport/daemon-transport.ts';
import type { RetryPolicy } from '../../client/transport/retry.ts';
import { PROFILE_ORIGIN, type Target, type WithheldKey, resolveTarget } from '../../client/settings/target.ts';
import { type Transport, checkListening, createHttpTransport } from '../../client/transport/transport.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import type { RecordList } from '../../contract/record-lists.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { getOrganization } from '../../contract/resources/organization.ts';
import { Failure } from '../errors/failure.ts';
import { type HintContext, getNewKeyHint } from '../errors/hints.ts';
import { keyFileFlag } from '../input/common-flags.ts';
import type { RecordSource } from '../input/resolve-names.ts';
import { readKeyFile } from '../input/secret.ts';
import { validateServiceUrl } from '../input/service-url.ts';
import { readServiceClock } from '../input/timestamp.ts';
import type { Output } from '../command-output.ts';
import {
  type ServiceContext,
  type ServiceSession,
  checkKey,
  createRetryPolicy,
  createTraceOptions,
  getTargetHints,
  readTenantOfGivenKey,
  serviceFlags,
  warnAboutKeyFile,
} from './session.ts';

const LIVE_KEY = 'pk_live_';

const apiFlags = { ...serviceFlags, 'api-key-file': keyFileFlag };

export type ApiFlags = Interfaces.InferredFlags<typeof apiFlags>;

export class ApiSession implements ServiceSession {
  readonly #flags: ApiFlags;
  readonly #output: Output;
  readonly #profileFlag: string | undefined;
  #target: Target | undefined;
  /** Kept, because stdin can be read only once. */
  #keyFromFile: string | undefined;
  #hasCheckedKeyFile = false;
  #currency: Promise<string | undefined> | undefined;

  /** `profileFlag`: that of the command, if it is not `--profile`. */
  constructor(flags: ApiFlags, output: Output, profileFlag?: string) {
    this.#flags = flags;
    this.#output = output;
    this.#profileFlag = profileFlag;
  }

  /** Resolves the service and the key. */
  resolveTarget(): Target {
    const { profile, url, 'data-dir': dataDir } = this.#flags;
    const target = resolveTarget(
      { profile, profileFlag: this.#profileFlag, url, dataDir, key: this.#keyFromFile },
      process.env,
      process.cwd(),
    );
    if (!this.#target) {
      this.#output.reportIgnoredFiles(target);
      this.#warnAboutProduction(target);
    }
    this.#target = target;
    return target;
  }

  async connect(): Promise<Client> {
    return (await this.connectMany(1))[0] as Client;
  }

  /** Creates clients of the same service, each with its own connection. */
  async connectMany(count: number, retry: RetryPolicy = this.retryPolicy): Promise<readonly Client[]> {
    const { open, key, url } = await this.#resolveRoute();
    return Array.from({ length: count }, () => createClient({ transport: open(), key, retry, ...createTraceOptions(this.#output, url) }));
  }

  /** Resolves the service and the key again, from the flags, the environment and the profile. */
  async resolveConnection(): Promise<{ transport: Transport; key: string | undefined; url: string }> {
    const { open, key, url } = await this.#resolveRoute();
    return { transport: open(), key, url };
  }

  get retryPolicy(): RetryPolicy {
    return createRetryPolicy(this.#flags);
  }

  async #resolveRoute() {
    this.#keyFromFile ??= await readKeyFile(this.#flags['api-key-file']);
    const target = this.resolveTarget();
    const { url, key } = target;
    validateServiceUrl(url.value, url.origin);
    const daemon = target.isLocal ? requireDaemonState(target.daemon, target.dataDir.value) : undefined;
    if (target.withheldKey) {
      // A wrong port is the likelier mistake.
      if (!target.isLocal && isLoopbackHost(new URL(url.value).hostname)) await checkListening(url.value);
      throw createWithheldError(target, target.withheldKey, getTargetHints(this.#flags, target));
    }
    checkKey(key);
    if (!this.#hasCheckedKeyFile) warnAboutKeyFile(this.#output, key, this.#flags['api-key-file']);
    this.#hasCheckedKeyFile = true;
    const open = () => (daemon ? createDaemonTransport(daemon) : createHttpTransport({ url: url.value }));
    return { open, key: key?.value, url: url.value };
  }

  /** The admin API needs no scope for the lists of sites, categories, units and users, which not every service has over /v1. */
  async connectToList(list: RecordList): Promise<RecordSource> {
    const client = await this.connect();
    const { operation, remoteOperation = operation } = list;
    if (!operation.path.startsWith('/admin/')) return { client, operation, query: {} };
    if (!this.resolveTarget().isLocal) return { client, operation: remoteOperation, query: {} };
    const { body } = await client.perform(getAuthContext);
    return { client: this.#createAdminClient(), operation, query: { tenant: body.data.tenant.id } };
  }

  /** Assumes that a remote service has the time of this machine, because its API does not provide the time. */
  async getServiceTime(): Promise<Date> {
    return this.resolveTarget().isLocal ? readServiceClock(this.#createAdminClient()) : new Date();
  }

  /** The tenant in requests to the admin API: as given, else that of the key, the project file or the profile. */
  async resolveTenant(given: string | undefined): Promise<string | undefined> {
    const target = this.resolveTarget();
    return given ?? (await readTenantOfGivenKey(target, () => this.connect())) ?? target.tenant?.value;
  }

  /** The currency of the tenant; undefined if it cannot be read, such as with a key that lacks the scope. */
  async readCurrency(): Promise<string | undefined> {
    this.#currency ??= this.connect()
      .then(async (client) => (await client.perform(getOrganization)).body.data.currency)
      // Only the form of what was read depends on it.
      .catch(() => undefined);
    return this.#currency;
  }

  getTenant(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Creates a client of the admin API of the local daemon. */
  #createAdminClient(): Client {
    const { daemon, dataDir } = this.resolveTarget();
    const transport = createAdminTransport(requireDaemonState(daemon, dataDir.value));
    return createClient({ transport, retry: this.retryPolicy });
  }

  /** The URL of a remote service, or the data directory of a local daemon, whose port may change. */
  get destination(): string {
    return this.#target === undefined || this.#target.isLocal ? (this.#target?.dataDir.value ?? '') : this.#target.url.value;
  }

  /** Identifies the service and the tenant for files that belong to both. */
  async readDestination(): Promise<readonly [service: string, tenant: string]> {
    const client = await this.connect();
    const { tenant } = (await client.perform(getAuthContext)).body.data;
    return [this.destination, tenant.id];
  }

  #warnAboutProduction({ key, profile, url }: Target): void {
    if (!key?.value.startsWith(LIVE_KEY) || !process.stderr.isTTY) return;
    const origin = isAbsolute(key.origin) ? `profile ${profile.value}` : key.origin;
    this.#output.printNote(this.#output.getPaint(process.stderr)('red', `PRODUCTION  ${url.value}, key of ${origin}`));
  }

  getHintContext(): Partial<HintContext> {
    const target = this.#target;
    const urlProfile =
      target?.url.origin === `${PROFILE_ORIGIN}${target?.profile.value}`
        ? { name: target.profile.value, url: target.url.value }
        : undefined;
    return { isLocal: target?.isLocal ?? true, keyOrigin: target?.key?.origin, urlProfile, ...getTargetHints(this.#flags, target) };
  }
}

export const apiAccess = {
  flags: apiFlags,
  open: (flags: ApiFlags, output: Output): ApiSession => new ApiSession(flags, output),
};

const { profile: _profile, 'max-wait': _wait, ...otherFlags } = apiFlags;

/** For commands whose profile is that of `--against`. A rate-limited request is a reply like any other. */
export const createAgainstAccess = <F>(against: F) => ({
  flags: { ...otherFlags, against },
  open: (flags: Omit<ApiFlags, 'profile' | 'max-wait'> & { readonly against: string | undefined }, output: Output): ApiSession =>
    new ApiSession({ ...flags, profile: flags.against, 'max-wait': 0 }, output, '--against'),
});

function createWithheldError(
  { profile, url, dataDir, projectFile = '' }: Target,
  { reason }: WithheldKey,
  hints: Parameters<typeof getNewKeyHint>[0],
): Failure {
  const name = reason === 'project-file' ? 'in STOCKROOM_API_KEY' : `of profile ${profile.value}`;
  const addProfile = `stockroom profile add NAME --url ${url.value}`;
  const texts: Readonly<Record<WithheldKey['reason'], readonly [why: string, hint: string]>> = {
    'project-file': [
      `the project file ${projectFile} names the URL, and others may have written it`,
      `If you trust it, pass --url ${url.value}, or add a profile with \`${addProfile}\``,
    ],
    'other-url': [
      'it was saved for another URL',
      hints.isEphemeral === true ? getNewKeyHint(hints) : `Add a profile for this URL with \`${addProfile}\`, or set STOCKROOM_API_KEY`,
    ],
    'other-directory': [
      `it was saved for another service than the daemon of ${dataDir.value}`,
      'Omit --profile and STOCKROOM_PROFILE to use the profile of this directory, or omit the directory',
    ],
    'foreign-state-file': [
      `another user owns the state file in ${dataDir.value}`,
      'Choose your own data directory with --data-dir, or set STOCKROOM_API_KEY',
    ],
  };
  const [why, hint] = texts[reason];
  return new Failure('KEY_WITHHELD', `The key ${name} is not sent to ${url.value}: ${why}`, { hint });
}

/** What commands of /v1 work with. */
export interface ApiContext extends ServiceContext {
  readonly session: ApiSession;
}

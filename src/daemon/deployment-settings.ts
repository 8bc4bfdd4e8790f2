/** Settings of a daemon that other machines use, behind a load balancer or a reverse proxy. From flags, variables and the configuration file. */
import { BlockList, isIP } from 'node:net';
import { CONTRACTS, type DaemonOptions, DRAIN_MAX_S, PORT_MAX } from '../platform/daemon-state.ts';
import { DEFAULT_HOST, type Env } from '../platform/local-paths.ts';
import { type Infer, t } from '../contract/schema/builder.ts';
import { addSubnet } from '../domain/webhooks/subnets.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { CONTROL_TOKEN_VARIABLE } from '../contract/admin/control.ts';
import { DaemonError } from './errors.ts';
import { type Source, fromFile, fromFlag, fromVariable } from './setting-source.ts';

/** Their values; `DaemonOptions` says what each of them is. */
export type DeploymentSettings = ReturnType<typeof resolveDeploymentSettings>;

/** Their part of the section `daemon` of the configuration file. */
export const deploymentFields = {
  publicUrl: t.optional(t.string({ max: 300 })),
  cors: t.optional(t.array(t.string({ max: 300 }), { max: 100 })),
  allowRegistration: t.optional(t.bool()),
  console: t.optional(t.bool()),
  trustProxy: t.optional(t.array(t.string({ max: 50 }), { max: 100 })),
  drainSeconds: t.optional(t.int({ min: 0, max: DRAIN_MAX_S })),
  contract: t.optional(t.enums(CONTRACTS)),
  metricsPort: t.optional(t.int({ min: 0, max: PORT_MAX })),
  metricsHost: t.optional(t.string({ min: 1, max: 255 })),
  otlpEndpoint: t.optional(t.string({ max: 300 })),
  controlPort: t.optional(t.int({ min: 0, max: PORT_MAX })),
  controlHost: t.optional(t.string({ min: 1, max: 255 })),
};
const deploymentSection = t.object(deploymentFields);

/** The time that a load balancer gets to notice that the daemon stops. */
const DEFAULT_DRAIN_S = 5;

type Flags = Pick<DaemonOptions, keyof typeof deploymentFields>;

/** `hasSharedStore`: several daemons use the store, so that a load balancer is probably in front of them. */
export function resolveDeploymentSettings(
  flags: Flags,
  env: Env,
  file: Infer<typeof deploymentSection>,
  { hasSharedStore, insecure, configFile }: { readonly hasSharedStore: boolean; readonly insecure: boolean; readonly configFile: string },
) {
  const findValues = (key: keyof typeof VARIABLES) => findSetting(key, flags, env, file, configFile);
  const publicUrl = parseOne(findValues('publicUrl'), parsePublicUrl);
  const metricsPort = flags.metricsPort ?? file.metricsPort;
  if (flags.metricsHost !== undefined && metricsPort === undefined)
    throw new DaemonError('USAGE', '--metrics-host has no effect without a port for metrics', { hint: 'Pass --metrics-port, too' });
  const contract = flags.contract ?? file.contract ?? 'extended';
  const isShared = publicUrl !== undefined || hasSharedStore;
  return {
    publicUrl,
    cors: parseList(findValues('cors'), parseAllowedOrigin),
    allowRegistration: flags.allowRegistration ?? file.allowRegistration,
    // It needs the extensions.
    console: (flags.console ?? file.console ?? true) && contract === 'extended',
    trustProxy: parseList(findValues('trustProxy'), parseTrustedRange),
    drainSeconds: flags.drainSeconds ?? file.drainSeconds ?? (isShared ? DEFAULT_DRAIN_S : 0),
    contract,
    metricsPort,
    metricsHost: flags.metricsHost ?? file.metricsHost ?? DEFAULT_HOST,
    otlpEndpoint: parseOne(findValues('otlpEndpoint'), parseOtlpEndpoint),
    ...resolveControl(flags, env, file, { insecure, configFile }),
  };
}

/** Settings with a variable, by their key in the file. */
const VARIABLES = {
  publicUrl: ['--public-url', 'STOCKROOM_PUBLIC_URL'],
  cors: ['--cors', 'STOCKROOM_CORS'],
  trustProxy: ['--trust-proxy', 'STOCKROOM_TRUST_PROXY'],
  otlpEndpoint: ['--otlp-endpoint', 'STOCKROOM_OTLP_ENDPOINT'],
} as const;

interface Setting {
  readonly values: readonly string[];
  readonly source: Source;
}

/** The flag wins over the variable, which wins over the file. */
function findSetting(
  key: keyof typeof VARIABLES,
  flags: Flags,
  env: Env,
  file: Infer<typeof deploymentSection>,
  configFile: string,
): Setting | undefined {
  const [flag, variable] = VARIABLES[key];
  const places = [
    [flags[key], fromFlag(flag)],
    // An empty variable counts as unset.
    [env[variable] || undefined, fromVariable(variable)],
    [file[key], fromFile(configFile, 'daemon', key)],
  ] as const;
  for (const [value, source] of places) if (value !== undefined) return { values: typeof value === 'string' ? [value] : value, source };
  return undefined;
}

type Parser = (text: string, source: Source) => string;

const parseList = (setting: Setting | undefined, parse: Parser): string[] =>
  setting === undefined ? [] : setting.values.flatMap((text) => text.split(',')).map((text) => parse(text, setting.source));

const parseOne = (setting: Setting | undefined, parse: Parser): string | undefined =>
  setting?.values[0] === undefined ? undefined : parse(setting.values[0], setting.source);

const TOKEN_PATTERN = /^[\w~.+/=-]{16,200}$/u;

function resolveControl(
  flags: Flags,
  env: Env,
  file: Infer<typeof deploymentSection>,
  { insecure, configFile }: { readonly insecure: boolean; readonly configFile: string },
) {
  const controlPort = flags.controlPort ?? file.controlPort;
  const controlHost = flags.controlHost ?? file.controlHost ?? DEFAULT_HOST;
  /** Undefined: that of the data directory. */
  const controlToken = controlPort === undefined ? undefined : env[CONTROL_TOKEN_VARIABLE] || undefined;
  if (controlPort === undefined && flags.controlHost !== undefined)
    throw new DaemonError('USAGE', '--control-host has no effect without a port for control', { hint: 'Pass --control-port, too' });
  if (controlPort !== undefined && !isLoopbackHost(controlHost) && !insecure) {
    const { name } = flags.controlHost === undefined ? fromFile(configFile, 'daemon', 'controlHost') : fromFlag('--control-host');
    throw new DaemonError('USAGE', `Refusing to serve control on ${controlHost} over plain HTTP: other machines could read its token`, {
      hint: `Pass --insecure to allow it, or omit ${name}`,
    });
  }
  if (controlToken !== undefined && !TOKEN_PATTERN.test(controlToken))
    throw new DaemonError('USAGE', `Invalid ${CONTROL_TOKEN_VARIABLE}. Use 16 to 200 letters, digits and . _ ~ + / = -`, {
      hint: 'Unset it to use a random token',
    });
  return { controlPort, controlHost, controlToken };
}

/** The origin as browsers send it; undefined for a text that is more or less than an http(s) origin. */
function toOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  // A URL with nothing but these is equal to its origin and a slash. `*` is a valid character of a host name for the URL parser.
  const isOrigin = url !== undefined && url.href === `${url.origin}/` && !/[?#]/u.test(text) && /^(?:[\w.-]+|\[.+\])$/u.test(url.hostname);
  return isHttp && isOrigin ? url.origin : undefined;
}

/** Returns the origin. */
export function parsePublicUrl(text: string, source: Source): string {
  const origin = toOrigin(text);
  if (origin !== undefined) return origin;
  throw new DaemonError(
    'USAGE',
    `${describe('public URL', text, source)}. Use http or https with a host, without user, path, query and fragment`,
    {
      hint: source.showExample('https://stock.example.com'),
    },
  );
}

function parseOtlpEndpoint(text: string, source: Source): string {
  if (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text;
  throw new DaemonError('USAGE', `${describe('OTLP endpoint', text, source)}. Use the http or https URL of a collector`, {
    hint: source.showExample('http://127.0.0.1:4318'),
  });
}

/** Returns the origin; `:*` for every port of a host stays. */
export function parseAllowedOrigin(text: string, source: Source): string {
  const given = text.trim();
  const origin = toOrigin(given.replace(/:\*$/u, ''));
  const isEveryPort = given.endsWith(':*');
  if (origin !== undefined && !/:\d+:\*$/u.test(given)) return isEveryPort ? `${origin}:*` : origin;
  throw new DaemonError(
    'USAGE',
    `${describe('origin', given, source)}. Use http or https with a host, as of the pages that may use the API`,
    {
      hint: `${source.showExample(['http://localhost:5173'])}, or http://localhost:* for every port`,
    },
  );
}

/** A text with a user may contain a password. */
const describe = (what: string, text: string, { name }: Source): string =>
  `Invalid ${what}${text.includes('@') ? '' : ` "${text}"`} in ${name}`;

/** Returns the range in CIDR notation. A single address is a range of one. */
export function parseTrustedRange(text: string, source: Source): string {
  const address = text.trim();
  const family = isIP(address);
  const range = family === 0 ? address : `${address}/${family === 4 ? '32' : '128'}`;
  if (addSubnet(new BlockList(), range)) return range;
  throw new DaemonError('USAGE', `Invalid address range "${address}" in ${source.name}. Use CIDR notation`, {
    hint: source.showExample(['10.0.0.0/8', 'fd00::/8']),
  });
}

/** Webhook settings of a daemon: the section `webhooks` of the configuration file, and `--webhook-retries`. */
import { BlockList } from 'node:net';
import {
  DELIVERY_TIMEOUT_MAX_S,
  DELIVERY_TIMEOUT_S,
  DEMO_RETRY_SCHEDULE_S,
  OVERLOAD_DELAY_S,
  RETRY_DELAY_MAX_S,
  RETRY_SCHEDULE_MAX_ENTRIES,
  RETRY_SCHEDULE_S,
  WEBHOOKS_CEILING,
  WEBHOOKS_MAX,
} from '../contract/limits.ts';
import { type Infer, t } from '../contract/schema/builder.ts';
import type { RetryRules } from '../domain/events/retry-schedule.ts';
import { addSubnet } from '../domain/webhooks/subnets.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import { DaemonError } from './errors.ts';
import { fromFile } from './setting-source.ts';

export interface WebhookSettings
  extends RetryRules, Pick<TargetPolicy, 'allowLoopback' | 'allowSubnets' | 'requireHttps' | 'maxEndpoints'> {
  /** Total time of one attempt. */
  readonly timeoutSeconds: number;
}

/** Named retry schedules. */
export const RETRY_PROFILES = ['default', 'demo'] as const;

/** The section `webhooks` of the configuration file. */
export const webhooksSection = t.object({
  retryProfile: t.optional(t.enums(RETRY_PROFILES)),
  retryScheduleSeconds: t.optional(t.array(t.int({ min: 1, max: RETRY_DELAY_MAX_S }), { max: RETRY_SCHEDULE_MAX_ENTRIES })),
  timeoutSeconds: t.optional(t.int({ min: 1, max: DELIVERY_TIMEOUT_MAX_S })),
  allowLoopback: t.optional(t.bool()),
  allowSubnets: t.optional(t.array(t.string({ max: 50 }), { max: 100 })),
  requireHttps: t.optional(t.bool()),
  maxEndpoints: t.optional(t.int({ min: 1, max: WEBHOOKS_CEILING })),
});

/**
 * The flag `retries`, a profile or comma-separated seconds, overrides the schedule of the file. A published service reaches its own machine
 * only if the file says so.
 */
export function resolveWebhookSettings(
  file: Infer<typeof webhooksSection>,
  {
    retries,
    isPublished,
    configFile,
  }: { readonly retries: string | undefined; readonly isPublished: boolean; readonly configFile: string },
): WebhookSettings {
  const {
    allowLoopback = !isPublished,
    allowSubnets = [],
    requireHttps = true,
    timeoutSeconds = DELIVERY_TIMEOUT_S,
    maxEndpoints = WEBHOOKS_MAX,
  } = file;
  const source = fromFile(configFile, 'webhooks', 'allowSubnets');
  for (const block of allowSubnets) {
    if (!addSubnet(new BlockList(), block))
      throw new DaemonError('USAGE', `Invalid subnet "${block}" in ${source.name}. Use CIDR notation`, {
        hint: source.showExample(['10.1.0.0/16']),
      });
  }
  return {
    allowLoopback,
    allowSubnets,
    requireHttps,
    timeoutSeconds,
    maxEndpoints,
    ...(retries === undefined ? toRetryRules(file) : parseRetriesFlag(retries)),
  };
}

function toRetryRules({ retryProfile, retryScheduleSeconds }: Infer<typeof webhooksSection>): RetryRules {
  const profile = retryProfile === 'demo' ? DEMO_RULES : DEFAULT_RULES;
  return retryScheduleSeconds ? { ...profile, scheduleSeconds: retryScheduleSeconds } : profile;
}

const DEFAULT_RULES: RetryRules = { scheduleSeconds: RETRY_SCHEDULE_S, overloadSeconds: OVERLOAD_DELAY_S };
/** Without the delay for overloaded receivers: a demo should not have to wait a minute. */
const DEMO_RULES: RetryRules = { scheduleSeconds: DEMO_RETRY_SCHEDULE_S, overloadSeconds: 0 };

function parseRetriesFlag(text: string): RetryRules {
  if (text === 'default') return DEFAULT_RULES;
  if (text === 'demo') return DEMO_RULES;
  const seconds = text.split(',').map(Number);
  const isValid =
    seconds.length <= RETRY_SCHEDULE_MAX_ENTRIES &&
    seconds.every((delay) => Number.isInteger(delay) && delay >= 1 && delay <= RETRY_DELAY_MAX_S);
  if (isValid) return { ...DEFAULT_RULES, scheduleSeconds: seconds };
  throw new DaemonError(
    'USAGE',
    `Invalid --webhook-retries "${text}". Use ${RETRY_PROFILES.join(', ')}, or up to ${String(RETRY_SCHEDULE_MAX_ENTRIES)} comma-separated whole seconds from 1 to ${String(RETRY_DELAY_MAX_S)}`,
    { hint: 'For example --webhook-retries 1,2,5,10,30' },
  );
}

export const DEFAULT_WEBHOOK_SETTINGS = resolveWebhookSettings({}, { retries: undefined, isPublished: false, configFile: 'config.json' });

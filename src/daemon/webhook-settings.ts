/** How this daemon delivers: the section `webhooks` of the configuration file, and `--webhook-retries`. */
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
import { type Infer, t } from '../contract/schema.ts';
import type { RetryRules } from '../domain/deliveries.ts';
import { type TargetPolicy, addSubnet } from '../domain/targets.ts';
import { DaemonError } from './errors.ts';

export interface WebhookSettings extends RetryRules, Pick<TargetPolicy, 'allowSubnets' | 'requireHttps' | 'maxEndpoints'> {
  /** Of one attempt, in all. */
  readonly timeoutSeconds: number;
}

export const DEFAULT_WEBHOOKS: WebhookSettings = {
  scheduleSeconds: RETRY_SCHEDULE_S,
  overloadSeconds: OVERLOAD_DELAY_S,
  timeoutSeconds: DELIVERY_TIMEOUT_S,
  allowSubnets: [],
  requireHttps: true,
};

/** Schedules that have a name. */
export const RETRY_PROFILES = ['default', 'demo'] as const;

/** The section of the configuration file. */
export const webhooksSection = t.object({
  retryProfile: t.optional(t.enums(RETRY_PROFILES)),
  retryScheduleSeconds: t.optional(t.array(t.int({ min: 1, max: RETRY_DELAY_MAX_S }), { max: RETRY_SCHEDULE_MAX_ENTRIES })),
  timeoutSeconds: t.optional(t.int({ min: 1, max: DELIVERY_TIMEOUT_MAX_S })),
  allowSubnets: t.optional(t.array(t.string({ max: 50 }), { max: 100 })),
  requireHttps: t.optional(t.bool()),
  maxEndpoints: t.optional(t.int({ min: 1, max: WEBHOOKS_CEILING })),
});

/** The settings in force; `retries` is the flag: a profile, or seconds joined by commas. */
export function webhookSettings(file: Infer<typeof webhooksSection>, retries: string | undefined): WebhookSettings {
  const { allowSubnets = [], requireHttps = true, timeoutSeconds = DELIVERY_TIMEOUT_S, maxEndpoints = WEBHOOKS_MAX } = file;
  for (const block of allowSubnets) {
    if (!addSubnet(new BlockList(), block))
      throw new DaemonError('usage', `webhooks.allowSubnets: ${block} is not a block of addresses such as 10.1.0.0/16`);
  }
  return {
    allowSubnets,
    requireHttps,
    timeoutSeconds,
    maxEndpoints,
    ...(retries === undefined ? rulesOfFile(file) : rulesOfFlag(retries)),
  };
}

function rulesOfFile({ retryProfile, retryScheduleSeconds }: Infer<typeof webhooksSection>): RetryRules {
  const profile = retryProfile === 'demo' ? DEMO : STANDARD;
  return retryScheduleSeconds ? { ...profile, scheduleSeconds: retryScheduleSeconds } : profile;
}

const STANDARD: RetryRules = { scheduleSeconds: RETRY_SCHEDULE_S, overloadSeconds: OVERLOAD_DELAY_S };
/** A show must not wait a minute for an overloaded receiver. */
const DEMO: RetryRules = { scheduleSeconds: DEMO_RETRY_SCHEDULE_S, overloadSeconds: 0 };

/** Also what `--webhook-retries` takes: seconds before each retry, or the name of a schedule. */
function rulesOfFlag(text: string): RetryRules {
  if (text === 'default') return STANDARD;
  if (text === 'demo') return DEMO;
  const seconds = text.split(',').map(Number);
  const right =
    seconds.length <= RETRY_SCHEDULE_MAX_ENTRIES &&
    seconds.every((each) => Number.isInteger(each) && each >= 1 && each <= RETRY_DELAY_MAX_S);
  if (right) return { ...STANDARD, scheduleSeconds: seconds };
  throw new DaemonError(
    'usage',
    `--webhook-retries ${text}: write ${RETRY_PROFILES.join(', ')}, or up to ${String(RETRY_SCHEDULE_MAX_ENTRIES)} whole seconds from 1 to ${String(RETRY_DELAY_MAX_S)} joined by commas`,
    { hint: 'for example --webhook-retries 1,2,5,10,30' },
  );
}

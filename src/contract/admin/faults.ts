/** Injected faults: requests and deliveries that fail deliberately, to test clients. They last until the daemon stops, at most. */
import {
  FAULT_BODY_MAX_CHARS,
  FAULT_LATENCY_MAX_S,
  FAULT_RETRY_AFTER_MAX_S,
  FAULT_TARGET_MAX_CHARS,
  FAULT_TIMES_MAX,
  NAME_MAX_CHARS,
  SCENARIO_FAULTS_MAX,
} from '../limits.ts';
import { single, defineAdminOperation } from '../operation.ts';
import { type Infer, type Input, describe, t } from '../schema/builder.ts';
import { duration } from './shared-schemas.ts';

/** Message of every error that a fault causes. */
export const INJECTED_FAULT_MESSAGE = "Injected fault; 'stockroom faults list' shows all faults.";

/** `before`: the request is not executed. `after`: it is executed, but the response is lost. */
export const FAULT_DROPS = ['before', 'after'] as const;
export type FaultDrop = (typeof FAULT_DROPS)[number];

const target = () =>
  t.annotate(t.line(FAULT_TARGET_MAX_CHARS), {
    description:
      "Method and path, where * matches any method, one path segment or the rest of a path: 'POST /v1/items', 'GET /v1/*', '* /v1/*'. For deliveries: a webhook target URL, a prefix of it, or http://* for all with http.",
  });

const status = () =>
  describe(t.int({ min: 200, max: 599 }), 'Respond with this status instead of executing the request; one below 400 with a body.');
const body = () =>
  t.annotate(t.string({ max: FAULT_BODY_MAX_CHARS }), {
    description: 'The body of that response, as it is, for example with a code of its own. Default: an error of the API.',
  });
const retryAfter = () =>
  describe(t.int({ min: 0, max: FAULT_RETRY_AFTER_MAX_S }), 'Value of the Retry-After header in that response, in seconds.');
const drop = () => t.annotate(t.enums(FAULT_DROPS), { description: 'Drop the connection before or after executing the request.' });
const rate = () => t.number({ above: 0, max: 1 });
const count = () => t.int({ min: 0 });

export const fault = t.object({
  target: t.string(),
  status: t.nullable(status()),
  latencyMs: count(),
  retryAfter: t.nullable(retryAfter()),
  body: t.nullable(body()),
  slowBodyMs: count(),
  drop: t.nullable(drop()),
  rate: rate(),
  after: t.annotate(count(), { description: 'How many matches come before the first that can trigger it.' }),
  remaining: t.annotate(t.nullable(count()), { description: 'How many more times the fault triggers; null: no limit.' }),
  expiresAt: t.nullable(t.timestamp()),
  setAt: t.timestamp(),
  met: t.annotate(count(), { description: 'Number of matching requests or deliveries.' }),
  hits: t.annotate(count(), { description: 'Number of matches that triggered the fault.' }),
});
export type Fault = Infer<typeof fault>;

const faults = t.object({ data: t.array(fault) });

export const faultDraft = t.object({
  target: target(),
  status: t.optional(status()),
  latency: t.optional(describe(duration(), `Delay before the response: 200ms, 3s. At most ${String(FAULT_LATENCY_MAX_S)}s.`)),
  slowBody: t.optional(
    describe(duration(), `Time between the two halves of the body of a response. At most ${String(FAULT_LATENCY_MAX_S)}s.`),
  ),
  retryAfter: t.optional(retryAfter()),
  body: t.optional(body()),
  drop: t.optional(drop()),
  rate: t.withDefault(t.annotate(rate(), { description: 'Fraction of matching requests to fail, above 0 and at most 1.' }), 1),
  after: t.withDefault(t.annotate(t.int({ min: 0, max: FAULT_TIMES_MAX }), { description: 'Trigger only after this many matches.' }), 0),
  times: t.optional(describe(t.int({ min: 1, max: FAULT_TIMES_MAX }), 'Remove the fault after it has triggered this many times.')),
  for: t.optional(t.annotate(duration(), { description: 'Remove the fault after this time: 10m.' })),
});
export type FaultBody = Infer<typeof faultDraft>;

/** Faults that belong together, by name. Those of fixtures have the same form. */
export const SCENARIOS = {
  'rate-limit-storm': [{ target: '* /v1/*', status: 429, retryAfter: 1, rate: 0.5 }],
  outage: [{ target: '* /v1/*', status: 503, retryAfter: 1, rate: 1 }],
  'lost-answers': [
    { target: 'POST /v1/*', drop: 'after', rate: 0.3 },
    { target: 'PATCH /v1/*', drop: 'after', rate: 0.3 },
  ],
  'slow-pages': [{ target: 'GET /v1/*', latency: '2s', rate: 1 }],
  'slow-bodies': [{ target: 'GET /v1/*', slowBody: '2s', rate: 1 }],
  'rotated-key': [{ target: '* /v1/*', status: 401, after: 5, rate: 1 }],
  'late-deliveries': [
    { target: 'http://*', latency: '3s', rate: 0.5 },
    { target: 'https://*', latency: '3s', rate: 0.5 },
  ],
  'failed-deliveries': [
    { target: 'http://*', status: 500, rate: 0.5 },
    { target: 'https://*', status: 500, rate: 0.5 },
  ],
} as const satisfies Readonly<Record<string, readonly Input<typeof faultDraft>[]>>;

export const scenarioFaults = () => t.array(faultDraft, { min: 1, max: SCENARIO_FAULTS_MAX });

export const listFaults = defineAdminOperation('faults.list', 'GET', '/admin/faults', {
  summary: 'List active faults with match and trigger counts',
  result: faults,
});

export const setFault = defineAdminOperation('faults.set', 'POST', '/admin/faults', {
  summary: 'Inject faults into requests or deliveries',
  description: 'Replaces the fault with the same target, if there is one.',
  body: faultDraft,
  result: single(fault),
  errors: ['LIMIT_REACHED'],
  example: { body: { target: 'POST /v1/items', status: 503, rate: 0.1, latency: '200ms', retryAfter: 2 } },
});

export const clearFaults = defineAdminOperation('faults.clear', 'POST', '/admin/faults/clear', {
  summary: 'Clear one fault, or all',
  description: 'Returns the cleared faults.',
  body: t.object({ target: t.optional(target()) }),
  result: faults,
  errors: ['NOT_FOUND'],
  example: { body: { target: 'POST /v1/items' } },
});

export const runScenario = defineAdminOperation('faults.run', 'POST', '/admin/faults/run', {
  summary: 'Inject the faults of a named scenario',
  description: `Of the fixtures, or one of ${Object.keys(SCENARIOS).join(', ')}. They last until they are cleared.`,
  body: t.object({ scenario: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name of the scenario.' }) }),
  result: faults,
  errors: ['LIMIT_REACHED', 'NOT_FOUND'],
  example: { body: { scenario: 'rate-limit-storm' } },
});

export const faultOperations = [listFaults, setFault, clearFaults, runScenario] as const;

/** Faults: requests and deliveries that go wrong on purpose, so that a client can be tried. They end with the daemon at the latest. */
import { FAULT_LATENCY_MAX_S, FAULT_RETRY_AFTER_MAX_S, FAULT_TARGET_MAX_CHARS, FAULT_TIMES_MAX } from '../limits.ts';
import { one, operation } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { duration } from './common.ts';

/** `before`: nothing was carried out. `after`: it was, and only the answer is lost. */
export const FAULT_DROPS = ['before', 'after'] as const;
export type FaultDrop = (typeof FAULT_DROPS)[number];

const target = () =>
  t.about(t.line(FAULT_TARGET_MAX_CHARS), {
    description:
      "Method and path, where * stands for any method, part or rest of a path: 'POST /v1/items', 'GET /v1/*', '* /v1/*'. Or the URL that a webhook's deliveries go to, or a beginning of it.",
  });

const status = () =>
  t.about(t.int({ min: 400, max: 599 }), { description: 'Answer with this status instead of carrying the request out.' });
const retryAfter = () =>
  t.about(t.int({ min: 0, max: FAULT_RETRY_AFTER_MAX_S }), { description: 'Seconds in the header Retry-After of that answer.' });
const drop = () =>
  t.about(t.enums(FAULT_DROPS), { description: 'Break the connection, before or after the request has been carried out.' });
const rate = () => t.number({ above: 0, max: 1 });
const count = () => t.int({ min: 0 });

export const fault = t.object({
  target: t.string(),
  status: t.nullable(status()),
  latencyMs: count(),
  retryAfter: t.nullable(retryAfter()),
  drop: t.nullable(drop()),
  rate: rate(),
  remaining: t.about(t.nullable(count()), { description: 'How often it will still happen; null: as often as it is met.' }),
  expiresAt: t.nullable(t.timestamp()),
  setAt: t.timestamp(),
  met: t.about(count(), { description: 'Requests or deliveries that could have been hit.' }),
  hits: t.about(count(), { description: 'Those that were.' }),
});
export type Fault = Infer<typeof fault>;

const faults = t.object({ data: t.array(fault) });

export const listFaults = operation({
  id: 'faults.list',
  method: 'GET',
  path: '/admin/faults',
  scope: null,
  summary: 'List the faults in force',
  status: 200,
  result: faults,
});

export const setFault = operation({
  id: 'faults.set',
  method: 'POST',
  path: '/admin/faults',
  scope: null,
  summary: 'Let requests or deliveries go wrong on purpose; a fault of the same target is replaced',
  body: t.object({
    target: target(),
    status: t.optional(status()),
    latency: t.optional(t.about(duration(), { description: `Wait first, up to ${String(FAULT_LATENCY_MAX_S)}s: 200ms, 3s.` })),
    retryAfter: t.optional(retryAfter()),
    drop: t.optional(drop()),
    rate: t.withDefault(t.about(rate(), { description: 'Share of the requests that are hit.' }), 1),
    times: t.optional(t.about(t.int({ min: 1, max: FAULT_TIMES_MAX }), { description: 'Only so many hits, then it ends.' })),
    for: t.optional(t.about(duration(), { description: 'Only for so long, then it ends: 10m.' })),
  }),
  status: 200,
  result: one(fault),
  errors: ['LIMIT_REACHED'],
  example: { body: { target: 'POST /v1/items', status: 503, rate: 0.1, latency: '200ms', retryAfter: 2 } },
});

export const clearFaults = operation({
  id: 'faults.clear',
  method: 'POST',
  path: '/admin/faults/clear',
  scope: null,
  summary: 'End faults: that of a target, or all; answers those that were ended',
  body: t.object({ target: t.optional(target()) }),
  status: 200,
  result: faults,
  errors: ['NOT_FOUND'],
  example: { body: { target: 'POST /v1/items' } },
});

export const faultOperations = [listFaults, setFault, clearFaults] as const;

/** Admin handlers of injected faults. */
import { type Fault, SCENARIOS, type faultDraft, type faultOperations } from '../../contract/admin/faults.ts';
import type { Input } from '../../contract/schema/builder.ts';
import { FAULT_LATENCY_MAX_S } from '../../contract/limits.ts';
import { parseDuration } from '../../domain/tenancy/durations.ts';
import { findClosestMatch } from '../../contract/schema/closest-match.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import type { AdminHandlers, AdminServices } from './handler.ts';

export const faultHandlers: AdminHandlers<typeof faultOperations> = {
  'faults.list': ({ services }) => ({ data: [...services.faults.list()] }),
  'faults.set': ({ services, body }) => ({ data: setFault(services, body) }),
  'faults.clear': ({ services, body }) => ({ data: [...services.faults.clear(body.target)] }),
  'faults.run': ({ services, body: { scenario } }) => ({ data: runScenario(services, scenario) }),
};

type FaultInput = Input<typeof faultDraft>;

function setFault({ faults, clock }: AdminServices, body: FaultInput): Fault {
  const { target, status = null, retryAfter = null, drop = null, rate = 1, after = 0, times = null } = body;
  const [latencyMs, slowBodyMs] = [parseDelay(body.latency, 'latency'), parseDelay(body.slowBody, 'slowBody')];
  const expiresAt = body.for === undefined ? null : new Date(clock.now().getTime() + parseDuration(body.for, '/for')).toISOString();
  const draft = { status, latencyMs, slowBodyMs, retryAfter, drop, body: body.body ?? null, rate, after, remaining: times, expiresAt };
  return faults.set(target, draft);
}

function parseDelay(text: string | undefined, field: string): number {
  const milliseconds = text === undefined ? 0 : parseDuration(text, `/${field}`);
  if (milliseconds <= FAULT_LATENCY_MAX_S * 1_000) return milliseconds;
  throw invalidField(`/${field}`, `${field} must be at most ${String(FAULT_LATENCY_MAX_S)}s`, 'too_big');
}

/** Injects all faults of the scenario, or none. Those of fixtures come first. */
function runScenario(services: AdminServices, name: string): Fault[] {
  const builtIn: Readonly<Record<string, readonly FaultInput[]>> = SCENARIOS;
  const bodies = services.scenarios.get(name) ?? (Object.hasOwn(builtIn, name) ? builtIn[name] : undefined);
  if (!bodies) {
    const known = [...services.scenarios.keys(), ...Object.keys(SCENARIOS)];
    const closest = findClosestMatch(name, known);
    const suggestion = closest === null ? '' : ` Did you mean ${closest}?`;
    throw new StockroomError('NOT_FOUND', `There is no scenario "${name}".${suggestion} Scenarios: ${known.join(', ')}.`);
  }
  const set: Fault[] = [];
  try {
    for (const body of bodies) set.push(setFault(services, body));
    return set;
  } catch (error) {
    for (const { target } of set) services.faults.clear(target);
    throw error;
  }
}

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRealClock } from './clock.ts';
import { createDatabaseClock } from './database-clock.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A machine and a database whose clocks can be set, in time that only `pass` moves. */
async function createWorld({ machineAhead = 0, databaseAhead = 0 } = {}) {
  const start = Date.parse('2030-01-01T00:00:00Z');
  const offsets = { machine: machineAhead, database: databaseAhead, asleep: 0 };
  const awake = (): number => Date.now() - startedAt;
  const startedAt = Date.now();
  const elapsed = (): number => awake() + offsets.asleep;
  const clock = createDatabaseClock({ system: () => start + elapsed() + offsets.machine, monotonic: awake, uptime: elapsed });
  await clock.follow(() => Promise.resolve(start + elapsed() + offsets.database));
  return {
    clock,
    offsets,
    /** How far the clock is ahead of the right time. */
    getAhead: () => clock.source.system() - (start + elapsed()),
    pass: (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds),
  };
}

test.each([3_000, HOUR_MS, DAY_MS, -3_000, -HOUR_MS, -DAY_MS])(
  'a clock of the machine that is set by %i ms changes no time',
  async (step) => {
    const { clock, offsets, getAhead, pass } = await createWorld();
    offsets.machine = step;
    expect(getAhead()).toBe(0);
    await pass(60_000);
    expect([getAhead(), clock.findProblem()]).toEqual([0, undefined]);
    expect(clock.findSkew()).toContain('differs from that of the database');
    offsets.machine = 0;
    expect(clock.findSkew()).toBeUndefined();
  },
);

test.each([HOUR_MS, DAY_MS, -HOUR_MS, -DAY_MS])(
  'a clock of the database that is set by %i ms changes no time, and changes are refused until it is corrected',
  async (step) => {
    const { clock, offsets, getAhead, pass } = await createWorld();
    offsets.database = step;
    expect(getAhead()).toBe(0);
    await pass(600_000);
    expect(getAhead()).toBe(0);
    expect(clock.findProblem()).toMatch(/has changed by (60 minutes|24 hours)/u);
    expect(clock.findSkew()).toBeDefined();
    offsets.database = 0;
    await pass(2_000);
    expect([getAhead(), clock.findProblem(), clock.findSkew()]).toEqual([0, undefined, undefined]);
  },
);

test('a clock of the database that is corrected by some seconds is followed', async () => {
  const { clock, offsets, getAhead, pass } = await createWorld();
  offsets.database = 3_000;
  await pass(10_000);
  expect([getAhead(), clock.findProblem()]).toEqual([3_000, undefined]);
});

test.each([DAY_MS, -DAY_MS])('a step of both clocks by %i ms counts only after they have agreed for a minute', async (step) => {
  const { clock, offsets, getAhead, pass } = await createWorld();
  offsets.database = step;
  offsets.machine = step;
  await pass(30_000);
  expect(getAhead()).toBe(0);
  expect(clock.findProblem()).toBeDefined();
  await pass(60_000);
  expect([getAhead(), clock.findProblem()]).toEqual([step, undefined]);
});

test('a machine that has slept continues with the time of the database at once', async () => {
  const { clock, offsets, getAhead, pass } = await createWorld();
  offsets.asleep = 8 * HOUR_MS;
  await pass(10_000);
  expect([getAhead(), clock.findProblem()]).toEqual([0, undefined]);
});

test.each([{ machineAhead: DAY_MS }, { databaseAhead: DAY_MS }])(
  'changes are refused from the start while the clocks differ by a day',
  async (ahead) => {
    const { clock, offsets, pass } = await createWorld(ahead);
    expect(clock.findProblem()).toBe('the clocks of this machine and of the database differ by 24 hours. Correct the wrong one');
    await pass(120_000);
    expect(clock.findProblem()).toBeDefined();
    Object.assign(offsets, { machine: 0, database: 0 });
    await pass(2_000);
    expect(clock.findProblem()).toBeUndefined();
  },
);

test.each([-HOUR_MS, HOUR_MS, DAY_MS])(
  'no time continues from that of a machine that was %i ms ahead until its clock was corrected',
  async (machineAhead) => {
    const { clock, offsets, getAhead, pass } = await createWorld({ machineAhead });
    const service = createRealClock(clock.source);
    const getServiceAhead = () => service.now().getTime() - clock.source.system() + getAhead();
    expect(getServiceAhead()).toBe(machineAhead);
    const isTimeKnown = vi.fn<() => void>();
    void clock.waitForTime()?.then(isTimeKnown);
    await pass(10_000);
    expect(isTimeKnown).not.toHaveBeenCalled();
    offsets.machine = 0;
    await pass(2_000);
    expect(getServiceAhead()).toBe(0);
    expect(isTimeKnown).toHaveBeenCalledOnce();
    expect(clock.waitForTime()).toBeUndefined();
  },
);

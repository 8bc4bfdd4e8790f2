/**
 * Lets the clock of a service follow that of its database, so that all daemons of the database have one time: they compare expiry, rate
 * windows and leases with it.
 *
 * Between measurements the time goes on with the monotonic clock of the machine, which nobody sets. A measurement is
 *
 *   accepted   when it is within a minute of what has elapsed since the last accepted one, or, for the first one, of the system time;
 *   refused    otherwise: somebody has set a clock. The time goes on as before, and transactions are rejected, until a measurement is within
 *              a minute again, or the system time has agreed with the database for a minute.
 *
 * A change that is dated wrong would stay so for good, and later ones of its tenant with it. Until the first measurement is accepted, the
 * time is that of the machine, which nothing is dated with and no time continues from.
 */
import { uptime } from 'node:os';
import type { TimeSource } from './clock.ts';

const MEASURE_INTERVAL_MS = 10_000;
/** While measurements are refused. */
const REFUSED_INTERVAL_MS = 1_000;
/** The offset of a machine is off by at most half of the time that a measurement takes, so the fastest of several counts. */
const MEASUREMENTS = 3;
/** A machine whose own clock differs more is not ready: its system time is wrong. */
const MAX_OFFSET_MS = 1_000;
/** A clock that differs more was set. */
export const MAX_CLOCK_STEP_MS = 60_000;
/** So long must two clocks agree until a step of both is accepted. */
const CONFIRMED_AFTER_MS = 60_000;

export interface DatabaseClock {
  /** The time of the database, for `createRealClock`. */
  readonly source: TimeSource;
  /** Measures now, and then every ten seconds. Rejects when the first measurement fails. `onChange`: called when `findProblem` changes. */
  follow(readTime: () => Promise<number>, onChange?: (problem: string | undefined) => void): Promise<void>;
  /** Resolves when a measurement was accepted; undefined when one was. */
  waitForTime(): Promise<void> | undefined;
  /** Why changes cannot be dated now; undefined when they can. */
  findProblem(): string | undefined;
  /** Why this daemon should get no requests; undefined when its clock is right. */
  findSkew(): string | undefined;
  stop(): void;
}

/** The clocks of a machine, in milliseconds. */
export interface MachineClocks {
  system(): number;
  /** Stops while the machine sleeps. */
  monotonic(): number;
  /** Goes on while the machine sleeps, where the system has such a clock. */
  uptime(): number;
}

const MACHINE: MachineClocks = { system: () => Date.now(), monotonic: () => performance.now(), uptime: () => uptime() * 1_000 };

interface Measurement {
  /** Of the database. */
  readonly time: number;
  /** What the clocks of the machine said then. */
  readonly system: number;
  readonly monotonic: number;
  readonly uptime: number;
}

export function createDatabaseClock(machine: MachineClocks = MACHINE): DatabaseClock {
  /** The last measurement that was accepted. */
  let anchor: Measurement = { time: machine.system(), ...readMachine(machine) };
  let isFirst = true;
  const known = Promise.withResolvers<void>();
  let problem: string | undefined;
  /** Since when database and system time have agreed, while measurements are refused. */
  let agreedSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const now = (): number => Math.floor(anchor.time + machine.monotonic() - anchor.monotonic);

  function accept(measured: Measurement): void {
    anchor = measured;
    isFirst = false;
    known.resolve();
    problem = undefined;
    agreedSince = undefined;
  }

  function evaluate(measured: Measurement): void {
    const agrees = Math.abs(measured.time - measured.system) <= MAX_CLOCK_STEP_MS;
    if (isFirst ? agrees : isContinuous(anchor, measured)) return accept(measured);
    agreedSince = agrees ? (agreedSince ?? measured.monotonic) : undefined;
    if (agreedSince !== undefined && measured.monotonic - agreedSince >= CONFIRMED_AFTER_MS) return accept(measured);
    problem = isFirst
      ? `the clocks of this machine and of the database differ by ${formatSpan(measured.time - measured.system)}. Correct the wrong one`
      : `the clock of the database has changed by ${formatSpan(measured.time - now())} against the time that has elapsed. Check the clocks of the database server and of this machine`;
  }

  const measure = async (readTime: () => Promise<number>): Promise<void> => evaluate(await measureTime(machine, readTime));

  return {
    source: { system: now, monotonic: () => machine.monotonic(), isUnknown: () => isFirst },
    async follow(readTime, onChange = () => undefined) {
      let reported: string | undefined;
      const report = (): void => {
        if ((problem === undefined) !== (reported === undefined)) onChange(problem);
        reported = problem;
      };
      const schedule = (): void => {
        if (isStopped) return;
        timer = setTimeout(() => void run(), problem === undefined ? MEASURE_INTERVAL_MS : REFUSED_INTERVAL_MS).unref();
      };
      const run = async (): Promise<void> => {
        // While the database does not answer, the time goes on from the last measurement.
        await measure(readTime).catch(() => undefined);
        report();
        schedule();
      };
      await measure(readTime);
      report();
      schedule();
    },
    waitForTime: () => (isFirst ? known.promise : undefined),
    findProblem: () => problem,
    findSkew: () => problem ?? describeOffset(Math.abs(machine.system() - now())),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** The fastest of several measurements, which is the most exact one. */
async function measureTime(machine: MachineClocks, readTime: () => Promise<number>): Promise<Measurement> {
  let fastest = Number.POSITIVE_INFINITY;
  let measured: Measurement | undefined;
  for (let measurement = 0; measurement < MEASUREMENTS; measurement += 1) {
    const before = readMachine(machine);
    const time = await readTime();
    const tookMs = machine.monotonic() - before.monotonic;
    if (tookMs >= fastest) continue;
    fastest = tookMs;
    measured = { time: time - tookMs / 2, ...before };
  }
  return measured!;
}

const readMachine = (machine: MachineClocks): Omit<Measurement, 'time'> => ({
  system: machine.system(),
  monotonic: machine.monotonic(),
  uptime: machine.uptime(),
});

/** Whether about as much time has passed at the database as on the machine, awake or asleep. */
function isContinuous(from: Measurement, to: Measurement): boolean {
  const elapsed = to.time - from.time;
  const isWithin = (expected: number): boolean => Math.abs(elapsed - expected) <= MAX_CLOCK_STEP_MS;
  return isWithin(to.monotonic - from.monotonic) || isWithin(to.uptime - from.uptime);
}

const describeOffset = (milliseconds: number): string | undefined =>
  milliseconds > MAX_OFFSET_MS
    ? `The clock of this machine differs from that of the database by ${(milliseconds / 1_000).toFixed(1)} s`
    : undefined;

function formatSpan(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1_000);
  if (seconds < 7_200) return `${String(Math.round(seconds / 60))} minutes`;
  return seconds < 172_800 ? `${String(Math.round(seconds / 3_600))} hours` : `${String(Math.round(seconds / 86_400))} days`;
}

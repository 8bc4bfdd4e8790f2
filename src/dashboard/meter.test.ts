import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLOTS, count, emptyMeter, gauge, perMinute, sparkline } from './meter.ts';

const SEED = 20_261_121;

const START = 1_700_000_000_000;

describe('the meter of a minute', () => {
  test('adds what happens in one second, and forgets it after a minute', () => {
    const meter = count(count(emptyMeter(START), START, 3), START + 999, 2);
    expect(perMinute(meter, START + 999)).toBe(5);
    expect(perMinute(meter, START + 59_999)).toBe(5);
    expect(perMinute(meter, START + 60_000)).toBe(0);
  });

  test('a clock that goes back changes nothing that was counted', () => {
    const meter = count(count(emptyMeter(START), START + 5_000, 4), START, 1);
    expect(meter.until).toBe(Math.floor(START / 1_000) + 5);
    expect(perMinute(meter, START + 5_000)).toBe(5);
  });

  test('always has sixty slots, and counts exactly what fell into the last sixty seconds', () => {
    const happenings = fc.array(fc.tuple(fc.nat(3_000), fc.nat(20)), { maxLength: 200 });
    fc.assert(
      fc.property(happenings, (steps) => {
        let [at, meter] = [START, emptyMeter(START)];
        const log: [number, number][] = [];
        for (const [pause, added] of steps) {
          at += pause;
          meter = count(meter, at, added);
          log.push([Math.floor(at / 1_000), added]);
        }
        const since = Math.floor(at / 1_000) - SLOTS;
        expect(meter.slots).toHaveLength(SLOTS);
        expect(perMinute(meter, at)).toBe(log.reduce((sum, [second, added]) => sum + (second > since ? added : 0), 0));
      }),
      { seed: SEED },
    );
  });

  test('draws one character a second, the newest last', () => {
    const meter = count(count(emptyMeter(START), START, 1), START + 1_000, 8);
    expect(sparkline(meter, START + 2_000, 4)).toBe('.▁█.');
    expect(sparkline(meter, START + 2_000)).toHaveLength(SLOTS);
  });
});

describe('a gauge', () => {
  test.each([
    [0, 10, 12, '[----------]'],
    [5, 10, 12, '[#####-----]'],
    [10, 10, 12, '[##########]'],
    [1, 1_000, 12, '[#---------]'],
    [999, 1_000, 12, '[#########-]'],
    [20, 10, 12, '[##########]'],
    [0, 0, 5, '[###]'],
  ])('of %i used of %i in %i columns is %s', (used, limit, width, text) => {
    expect(gauge(used, limit, width)).toBe(text);
  });
});

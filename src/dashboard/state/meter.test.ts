import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLOTS, addToMeter, emptyMeter, renderGauge, getPerMinute, renderSparkline } from './meter.ts';
import { checkProperty } from '../../../test/support/property.ts';

const START = 1_700_000_000_000;

describe('a meter', () => {
  test('adds counts within a second and drops them after a minute', () => {
    const meter = addToMeter(addToMeter(emptyMeter(START), START, 3), START + 999, 2);
    expect(getPerMinute(meter, START + 999)).toBe(5);
    expect(getPerMinute(meter, START + 59_999)).toBe(5);
    expect(getPerMinute(meter, START + 60_000)).toBe(0);
  });

  test('keeps its counts when the clock is set back', () => {
    const meter = addToMeter(addToMeter(emptyMeter(START), START + 5_000, 4), START, 1);
    expect(meter.until).toBe(Math.floor(START / 1_000) + 5);
    expect(getPerMinute(meter, START + 5_000)).toBe(5);
  });

  test('has sixty slots and counts exactly the last sixty seconds', async () => {
    const happenings = fc.array(fc.tuple(fc.nat(3_000), fc.nat(20)), { maxLength: 200 });
    await checkProperty(
      fc.property(happenings, (steps) => {
        let [at, meter] = [START, emptyMeter(START)];
        const log: [number, number][] = [];
        for (const [pause, added] of steps) {
          at += pause;
          meter = addToMeter(meter, at, added);
          log.push([Math.floor(at / 1_000), added]);
        }
        const since = Math.floor(at / 1_000) - SLOTS;
        expect(meter.slots).toHaveLength(SLOTS);
        expect(getPerMinute(meter, at)).toBe(log.reduce((sum, [second, added]) => sum + (second > since ? added : 0), 0));
      }),
      { shortRuns: 100 },
    );
  });

  test('renders one character per second, the newest last', () => {
    const meter = addToMeter(addToMeter(emptyMeter(START), START, 1), START + 1_000, 8);
    expect(renderSparkline(meter, START + 2_000, 4)).toBe('.▁█.');
    expect(renderSparkline(meter, START + 2_000)).toHaveLength(SLOTS);
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
  ])('of %i of %i in %i columns is %s', (used, limit, width, text) => {
    expect(renderGauge(used, limit, width)).toBe(text);
  });
});

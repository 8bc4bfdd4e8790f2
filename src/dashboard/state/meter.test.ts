import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLOTS, addToMeter, emptyMeter, renderGauge, getTotal, renderSparkline } from './meter.ts';
import { checkProperty } from '../../../test/support/property.ts';

const START = 1_700_000_000_000;

describe('a meter', () => {
  test('adds counts within a second and drops them after a minute', () => {
    const meter = addToMeter(addToMeter(emptyMeter(START), START, 3), START + 999, 2);
    expect(getTotal(meter, START + 999)).toBe(5);
    expect(getTotal(meter, START + 59_999)).toBe(5);
    expect(getTotal(meter, START + 60_000)).toBe(0);
  });

  test('keeps its counts when the clock is set back', () => {
    const meter = addToMeter(addToMeter(emptyMeter(START), START + 5_000, 4), START, 1);
    expect(meter.until).toBe(Math.floor(START / 1_000) + 5);
    expect(getTotal(meter, START + 5_000)).toBe(5);
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
        expect(getTotal(meter, at)).toBe(log.reduce((sum, [second, added]) => sum + (second > since ? added : 0), 0));
      }),
      { shortRuns: 100 },
    );
  });

  test('renders all of its slots, the newest last, several in one character if there is less room', () => {
    const meter = addToMeter(addToMeter(emptyMeter(START), START, 1), START + 1_000, 8);
    const empty = (count: number): string => '.'.repeat(count);
    expect(renderSparkline(meter, START + 2_000)).toBe(`${empty(57)}▁█.`);
    expect(renderSparkline(meter, START + 2_000, 200)).toHaveLength(SLOTS);
    expect(renderSparkline(meter, START + 2_000, 31)).toBe(`${empty(28)}▁█`);
    expect(renderSparkline(meter, START + 30_000, 7)).toBe('...█...');
    expect(renderSparkline(meter, START + 30_000, 0)).toBe('');
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

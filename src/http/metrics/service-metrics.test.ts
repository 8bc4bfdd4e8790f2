import { expect, test } from 'vitest';
import { DURATION_BUCKETS_S, LabelCounts, RequestHistogram } from './service-metrics.ts';

const countByBucket = (histogram: RequestHistogram) => histogram.list().map(({ buckets }) => buckets);
const bucketsWith = (...filled: number[]) => [...DURATION_BUCKETS_S, Infinity].map((_, at) => filled.filter((each) => each === at).length);

test('a request is in the first bucket whose upper bound it does not exceed', () => {
  const histogram = new RequestHistogram();
  for (const milliseconds of [0, 1, 1.1, 10_000, 10_001]) histogram.observe('items.get', 200, milliseconds);
  expect(countByBucket(histogram)).toEqual([bucketsWith(0, 0, 1, 12, 13)]);
  expect(histogram.list()[0]?.totalSeconds).toBeCloseTo(20.003_1, 6);
});

test('requests are separate by operation and class of their status, and only classes with requests are listed', () => {
  const histogram = new RequestHistogram();
  histogram.observe('items.get', 404, 1);
  histogram.observe('items.get', 200, 1);
  histogram.observe('items.get', 204, 1);
  histogram.observe('items.list', 503, 1);
  histogram.observe('items.list', null, 1);
  const series = histogram.list().map(({ operation, statusClass, buckets }) => `${operation} ${statusClass} ${String(buckets[0])}`);
  expect(series).toEqual(['items.get 2xx 2', 'items.get 4xx 1', 'items.list aborted 1', 'items.list 5xx 1']);
});

test('counts by label start with zero', () => {
  const counts = new LabelCounts(['a', 'b']);
  counts.add('b');
  expect(counts.list()).toEqual([
    ['a', 0],
    ['b', 1],
  ]);
});

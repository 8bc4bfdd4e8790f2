import { expect, test } from 'vitest';
import { checkJq, createJqSink, createJqStream } from './jq.ts';

// With a cost that grows with the square of the input, this would take hours.
test('the time that a jq expression takes grows with the size of the response, not with its square', async () => {
  const printed: string[] = [];
  const sink = createJqSink({ started: false, write: (text) => Promise.resolve(void printed.push(text)) }, '.data | length');
  await sink.write(JSON.stringify({ data: Array.from({ length: 20_000 }, (_, at) => ({ at, notes: 'x'.repeat(200) })) }), 'data');
  await sink.finish(false);
  expect(printed).toEqual(['20000\n']);
});

test('only an expression that does not compile is rejected before there is input', async () => {
  await checkJq('.data[].sku');
  await checkJq('.data | error("later")');
  await expect(checkJq('.data[')).rejects.toThrow('Invalid --jq: syntax error, unexpected end of file');
  await expect(checkJq('nothing(1)')).rejects.toThrow('Invalid --jq: nothing/1 is not defined');
});

test('a filtered output is started once something was written', async () => {
  const sink = createJqSink({ started: false, write: () => Promise.resolve() }, '.');
  expect(sink.started).toBe(false);
  await sink.write('{"data":[', 'json');
  expect(sink.started).toBe(true);
});

test('rows are filtered in the order in which they are written, and those that do not fit are reported', async () => {
  const printed: string[] = [];
  const problems: string[] = [];
  const sink = { started: false, write: (text: string) => Promise.resolve(void printed.push(text)) };
  const stream = createJqStream(sink, '.at.x', (problem) => problems.push(problem));
  await Promise.all([{ at: { x: 1 } }, { at: 'no object' }, { at: { x: 2 } }].map((row) => stream.write(`${JSON.stringify(row)}\n`)));
  expect([printed, problems]).toEqual([['1\n', '2\n'], ['--jq: Cannot index string with string ("x")']]);
});
